import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';

/**
 * Resolves with the position before which the event stream of a database on PostgreSQL is final: transactions of this database with a lower
 * number have ended, and their rows are visible to every statement that begins later. A snapshot alone names the transactions of all
 * databases of the server, of which another one may run for an hour. Sessions are not looked at by the snapshot, so this is a statement of
 * its own, before the read: a transaction that ends between the two would be neither running nor visible.
 */
export function createFinalPosition({ read }: Pick<Database, 'read'>): () => Promise<number> {
  // Autovacuum, a session without a role, writes no events, and may analyse a table for minutes. Every role sees these columns of all sessions.
  const query = sql<{ next: number; offset: number; running: string | null }>`
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
      (SELECT transaction_offset FROM event_positions) AS "offset",
      (SELECT string_agg(backend_xid::text, ' ') FROM pg_stat_activity
        WHERE datname = current_database() AND usesysid IS NOT NULL) AS running`.compile(read);
  return async () => {
    const { next, offset, running } = (await read.executeQuery(query)).rows[0]!;
    return oldestOf(next, running === null ? [] : running.split(' ').map(Number)) + offset;
  };
}

/**
 * The whole number (64 bits) of the oldest of these transactions, or `next` where all are younger. Sessions have the lower 32 bits of theirs,
 * which are less than 2³¹ transactions away from the next one (PostgreSQL, "Preventing Transaction ID Wraparound Failures").
 */
export function oldestOf(next: number, running: readonly number[]): number {
  const ages = running.map((lower) => ((next % 2 ** 32) - lower) | 0);
  return next - Math.max(0, ...ages);
}
