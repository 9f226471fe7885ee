import type { Database, Logger } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { ClusterNodes } from '../../kernel/cluster-nodes.ts';
import type { NodePhase } from '../../kernel/node-phase.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import { createQueries } from './queries.ts';
import { createNodeReports, type NodeReport } from './reports/node-reports.ts';
import { nodeRoutes } from './routes.ts';

export interface NodesDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly incarnation: { readonly number: number };
  readonly phase: NodePhase;
  readonly runner: Pick<SessionRunner, 'census'>;
  /** The other nodes; left out where one process owns the database. */
  readonly nodes?: Pick<ClusterNodes, 'request' | 'serve'>;
  readonly version?: string;
  /** The first account; undefined before it is known. */
  readonly operator: () => string | undefined;
}

/** The processes that share the database, as their operator sees and drains them. */
export function createNodes(deps: NodesDeps): Feature {
  const { incarnation, phase, operator, version = null } = deps;
  const ownReport = (): NodeReport => {
    const { 'call-leg': calls, 'multiparty-call': rooms } = deps.runner.census();
    return {
      state: phase.name,
      version,
      calls: calls?.sessions ?? 0,
      multiparty_calls: rooms?.sessions ?? 0,
    };
  };
  const reports = createNodeReports(deps.nodes, ownReport);
  const queries = createQueries({ ...deps, reports, ownReport });
  return {
    name: 'nodes',
    homes: [
      {
        operations: 'Operator/Node/:node/',
        of: async ({ authId }, { params: { node = '' } }) =>
          authId === operator() ? queries.incarnationOf(node) : undefined,
      },
    ],
    routes: [nodeRoutes({ ...deps, queries, phase, incarnation, operator })],
  };
}
