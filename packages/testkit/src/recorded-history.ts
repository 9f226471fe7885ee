import type { Read } from '@jackfield/ports';
import { sql } from 'kysely';
import type { History, LiveRow, RecordedEvent } from './history-checker.ts';

/** Tables whose rows name the incarnation in which their thing lives, with their key and what a live row has. */
const liveTables = [
  ['calls', 'call_uuid', 'ended_at IS NULL'],
  ['multiparty_calls', 'mpc_uuid', 'ended_at IS NULL'],
] as const;

/** The rows at the end of a run, as parts of its history. */
export interface RecordedHistory extends Pick<History, 'events'> {
  readonly liveRows: readonly LiveRow[];
  /** Incarnations that have not ended. */
  readonly running: readonly number[];
}

export async function recordedHistory(read: Read): Promise<RecordedHistory> {
  const { rows: incarnations } = await sql<{
    incarnation: number;
    ended_at: number | null;
  }>`
    SELECT incarnation, ended_at FROM incarnations WHERE incarnation <> 0`.execute(read);
  return {
    events: await recordedEvents(read),
    liveRows: await liveRowsOf(read),
    running: incarnations.flatMap((row) => (row.ended_at === null ? [Number(row.incarnation)] : [])),
  };
}

/** The rows of the outbox in the order of their ids, at a time when each delivery has ended. */
export async function recordedEvents(read: Read): Promise<readonly RecordedEvent[]> {
  const { rows } = await sql<{
    event_id: string;
    resource: string;
    type: string;
    callback: string | null;
    abandoned_at: number | null;
  }>`
    SELECT event_id, resource, type, callback, abandoned_at FROM outbox ORDER BY id`.execute(read);
  return rows.map(({ event_id: eventId, resource, type, callback, abandoned_at }) => ({
    eventId,
    resource,
    type,
    callback: callback === null ? 'none' : orderOf(callback, abandoned_at),
  }));
}

function orderOf(callback: string, abandonedAt: number | null): RecordedEvent['callback'] {
  if (abandonedAt !== null) return 'given-up';
  return JSON.parse(callback).isUnordered === true ? 'unordered' : 'ordered';
}

async function liveRowsOf(read: Read): Promise<readonly LiveRow[]> {
  const found: LiveRow[] = [];
  for (const [table, key, isLive] of liveTables) {
    const { rows } = await sql<{ id: string; incarnation: number }>`
      SELECT ${sql.ref(key)} AS id, incarnation FROM ${sql.table(table)} WHERE ${sql.raw(isLive)}`.execute(
      read,
    );
    found.push(...rows.map(({ id, incarnation }) => ({ table, id, incarnation: Number(incarnation) })));
  }
  return found;
}
