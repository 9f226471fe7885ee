import type { ClusterNodeItem } from '@jackfield/contract/console';
import { BusError, jsonBody, readJsonBody } from '@jackfield/ports';
import type { ClusterNodes } from '../../../kernel/cluster-nodes.ts';

/** State that is in the memory of the node alone. */
export type NodeReport = Pick<ClusterNodeItem, 'state' | 'version' | 'calls' | 'multiparty_calls'>;

export interface NodeReports {
  /** Of another node, by the token of its incarnation; a node that does not answer is unreachable. */
  of(token: string): Promise<NodeReport>;
}

const subject = 'node-report';
const deadlineMs = 1_000;
const silent: NodeReport = { state: 'unreachable', version: null, calls: null, multiparty_calls: null };

/** Asks the other nodes, and answers them. */
export function createNodeReports(
  nodes: Pick<ClusterNodes, 'request' | 'serve'> | undefined,
  own: () => NodeReport,
): NodeReports {
  nodes?.serve(subject, async () => jsonBody(own()));
  return {
    async of(token) {
      try {
        const answer = await nodes?.request(token, subject, new Uint8Array(), deadlineMs);
        return answer === undefined ? silent : readJsonBody<NodeReport>(answer);
      } catch (error) {
        if (error instanceof BusError) return silent;
        throw error;
      }
    },
  };
}
