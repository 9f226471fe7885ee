import type { Database, Logger } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { NodePhase } from '../../kernel/node-phase.ts';
import type { NodeReports } from '../../kernel/node-reports.ts';
import { createQueries } from './queries.ts';
import { nodeRoutes } from './routes.ts';

export interface NodesDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly incarnation: { readonly number: number };
  readonly phase: NodePhase;
  readonly reports: NodeReports;
  /** The first account; undefined before it is known. */
  readonly operator: () => string | undefined;
}

/** The processes that share the database, as their operator sees and drains them. */
export function createNodes(deps: NodesDeps): Feature {
  const { incarnation, phase, operator } = deps;
  const queries = createQueries(deps);
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
