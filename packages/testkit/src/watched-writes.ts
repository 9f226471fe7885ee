import type { Database, Instant, Write } from '@jackfield/ports';
import { sql } from 'kysely';
import type { History } from './history-checker.ts';

export type EndOfIncarnation = History['ends'][number] & {
  readonly at: Instant;
  /** Its successor. */
  readonly by: number;
};

/** Notes which incarnation writes, and when one is ended by another: of all nodes on one embedded database. */
export interface WatchedWrites extends Pick<History, 'writes'> {
  readonly ends: readonly EndOfIncarnation[];
  /** The database of one process. */
  watch(database: Database): Database;
}

export function createWatchedWrites(now: () => Instant): WatchedWrites {
  const writes: { incarnation: number; step: number }[] = [];
  const ends: EndOfIncarnation[] = [];
  const ended = new Set<number>();
  let step = 0;

  async function noteEnds(write: Write): Promise<void> {
    const { rows } = await sql<{ incarnation: number; ended_by: number }>`
      SELECT incarnation, ended_by FROM incarnations
      WHERE incarnation <> 0 AND ended_at IS NOT NULL AND ended_by <> incarnation`.execute(write);
    for (const { incarnation, ended_by: by } of rows) {
      if (ended.has(incarnation)) continue;
      ended.add(incarnation);
      ends.push({ incarnation, step, at: now(), by });
    }
  }

  return {
    writes,
    ends,
    watch(database) {
      let incarnation: number | undefined;
      const transact: Database['transact'] = (work, unit) =>
        database.transact(async (write) => {
          const before = await changesOf(write);
          const result = await work(write);
          if (incarnation !== undefined && (await changesOf(write)) > before) {
            step++;
            writes.push({ incarnation, step });
            await noteEnds(write);
          }
          return result;
        }, unit);
      return Object.create(database, {
        transact: { value: transact },
        join: {
          value(member: Parameters<Database['join']>[0]) {
            incarnation = member.incarnation;
            database.join(member);
          },
        },
      });
    },
  };
}

async function changesOf(write: Write): Promise<number> {
  const { rows } = await sql<{ changes: number }>`SELECT total_changes() AS changes`.execute(write);
  return Number(rows[0]?.changes ?? 0);
}
