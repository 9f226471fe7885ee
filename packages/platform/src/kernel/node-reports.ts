import type { ClusterNodeItem } from '@jackfield/contract/console';
import { BusError, jsonBody, readJsonBody } from '@jackfield/ports';
import type { Capacity } from './capacity.ts';
import type { ClusterNodes } from './cluster-nodes.ts';
import type { NodePhase } from './node-phase.ts';
import type { SessionRunner } from './session-runner.ts';

/** State that is in the memory of the node alone. */
export type NodeReport = Pick<
  ClusterNodeItem,
  'state' | 'version' | 'calls' | 'multiparty_calls' | 'load' | 'takes_calls'
>;

export interface NodeReports {
  /** Of this node. */
  own(): NodeReport;
  /** Of another node, by the token of its incarnation; a node that does not answer is unreachable. */
  of(token: string): Promise<NodeReport>;
}

export interface NodeReportsDeps {
  readonly phase: NodePhase;
  readonly runner: Pick<SessionRunner, 'alive'>;
  readonly capacity: Pick<Capacity, 'load' | 'isOpen'>;
  readonly version?: string;
  /** The other nodes; left out where one process owns the database. */
  readonly nodes?: Pick<ClusterNodes, 'request' | 'serve'>;
}

const subject = 'node-report';
const deadlineMs = 1_000;
const silent: NodeReport = {
  state: 'unreachable',
  version: null,
  calls: null,
  multiparty_calls: null,
  load: null,
  takes_calls: null,
};

/** Asks the other nodes, and answers them. */
export function createNodeReports(deps: NodeReportsDeps): NodeReports {
  const { phase, runner, capacity, version = null, nodes } = deps;
  const own = (): NodeReport => ({
    state: phase.name,
    version,
    calls: runner.alive('call-leg'),
    multiparty_calls: runner.alive('multiparty-call'),
    load: Math.round(capacity.load * 1_000) / 1_000,
    takes_calls: capacity.isOpen,
  });
  nodes?.serve(subject, async () => jsonBody(own()));
  return {
    own,
    async of(token) {
      try {
        const answer = await nodes?.request(token, subject, new Uint8Array(), deadlineMs);
        // A node of the release before says nothing about its load.
        return answer === undefined ? silent : { ...silent, ...readJsonBody<NodeReport>(answer) };
      } catch (error) {
        if (error instanceof BusError) return silent;
        throw error;
      }
    },
  };
}
