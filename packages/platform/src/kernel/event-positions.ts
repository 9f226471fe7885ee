import type { Database, Logger } from '@jackfield/ports';
import { sql } from 'kysely';

/** Concurrent transactions take numbers and ids in different orders: the greatest number is among the newest ids. */
const newestRows = 1_000;

/**
 * What a process adds to the number of its transaction for the position of an event. Each server of PostgreSQL counts transactions by itself,
 * so the stream of a database that was restored into another server continues behind its last position: the first start there raises
 * the offset. Processes that were connected to the former server know the former offset; they are ended, like a node that is dead.
 * The rows show the case without doubt: no row that is visible has a transaction that has not begun.
 */
export async function continuePositions(
  database: Pick<Database, 'dialect' | 'transact'>,
  log: Logger,
): Promise<number> {
  if (database.dialect !== 'postgres') return 0;
  const { offset, isRaised } = await database.transact(async (write) => {
    const { rows } = await sql<Record<'offset' | 'oldest' | 'next' | 'newest', number | null>>`
      SELECT transaction_offset AS "offset", pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
        (SELECT max(written_in) FROM (SELECT written_in FROM outbox ORDER BY id DESC LIMIT ${newestRows}) AS few) AS newest
      FROM event_positions FOR UPDATE`.execute(write);
    const { offset, oldest, next, newest } = rows[0]! as Record<string, number>;
    if ((newest ?? 0) < next! + offset!) return { offset: offset!, isRaised: false };
    const raised = await sql<{ offset: number }>`
      UPDATE event_positions SET transaction_offset = (SELECT max(written_in) FROM outbox) + 1 - ${oldest}
      RETURNING transaction_offset AS "offset"`.execute(write);
    await sql`DELETE FROM incarnation_lanes`.execute(write);
    return { offset: raised.rows[0]!.offset, isRaised: true };
  });
  if (isRaised) log.warn({ offset }, 'the event stream continues on another server of PostgreSQL');
  return offset;
}
