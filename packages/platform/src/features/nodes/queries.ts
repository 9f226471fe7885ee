import type { ClusterNodeItem } from '@jackfield/contract/console';
import type { Database } from '@jackfield/ports';
import { tokenOf } from '../../kernel/incarnation.ts';
import { type RunningIncarnation, runningIncarnations } from '../../kernel/incarnation-store.ts';
import type { NodeReports } from '../../kernel/node-reports.ts';

export interface NodeQueries {
  /** The nodes that run, in the order of their names. */
  list(): Promise<ClusterNodeItem[]>;
  /** Of this process. */
  own(): Promise<ClusterNodeItem | undefined>;
  /** The incarnation of a node, by its name or its token; undefined where none of them runs. */
  incarnationOf(node: string): Promise<number | undefined>;
}

export interface NodeQueriesDeps {
  readonly database: Database;
  readonly incarnation: { readonly number: number };
  readonly reports: NodeReports;
}

export function createQueries({ database, incarnation, reports }: NodeQueriesDeps): NodeQueries {
  const isOwn = (row: RunningIncarnation) => row.incarnation === incarnation.number;

  async function itemOf(row: RunningIncarnation): Promise<ClusterNodeItem> {
    const report = isOwn(row) ? reports.own() : await reports.of(tokenOf(row.incarnation));
    return {
      node: row.node,
      incarnation: tokenOf(row.incarnation),
      answers: isOwn(row),
      ...report,
      roles: [...row.roles],
      started_at: new Date(row.startedAt).toISOString(),
      alive_at: new Date(row.aliveAt).toISOString(),
    };
  }

  return {
    async list() {
      const rows = await runningIncarnations(database.read);
      return Promise.all(rows.map(itemOf));
    },
    async own() {
      const row = (await runningIncarnations(database.read)).find(isOwn);
      return row && itemOf(row);
    },
    async incarnationOf(node) {
      const rows = await runningIncarnations(database.read);
      return rows.find((row) => row.node === node || tokenOf(row.incarnation) === node)?.incarnation;
    },
  };
}
