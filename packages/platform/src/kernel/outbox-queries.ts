import type { Database, Instant } from '@jackfield/ports';
import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { OutboxEvent } from './kernel-effects.ts';

/** An event with its permanent id, in the transaction that writes it. */
export interface AppendedEvent extends OutboxEvent {
  readonly eventId: string;
  /** The date of the event, by the wall clock. */
  readonly createdAt: Instant;
}

/** An event that is being appended. */
export interface NewEvent extends AppendedEvent {
  /** Time of its first delivery. */
  readonly dueAt: Instant;
}

export interface OutboxRow {
  readonly id: number;
  readonly event_id: string;
  readonly account: string;
  readonly main_account: string;
  readonly resource: string;
  readonly type: string;
  readonly payload: string;
  readonly callback: string | null;
  readonly created_at: number;
  readonly attempts: number;
}

/**
 * Events come thousands a second, and building a query costs more than running it: each query is built once and runs with other
 * parameters.
 */
export interface OutboxQueries {
  /** `offset` is that of `continuePositions`. */
  insert(event: NewEvent, offset: number): CompiledQuery<unknown>;
  /** The armed ones of this process that are due first. */
  armed(limit: number): CompiledQuery<{ readonly id: number; readonly next_attempt_at: number }>;
  row(id: number): CompiledQuery<OutboxRow>;
  finish(id: number, outcome: 'delivered' | 'abandoned', now: Instant): CompiledQuery<unknown>;
  /**
   * Arms the oldest unfinished event of a resource for this process, whichever wrote it; changes nothing where events are armed when they
   * are written.
   */
  armNext(resource: string, now: Instant): CompiledQuery<unknown>;
  /** `lane` is null for an event that is not set aside. */
  postpone(id: number, until: Instant, attempts: 0 | 1, lane: string | null): CompiledQuery<unknown>;
  /** Makes the oldest `slots` events of a lane due. */
  resume(lane: string, slots: number, now: Instant): CompiledQuery<unknown>;
  /** Makes due what the last process had set aside. */
  release(limit: number, now: Instant): CompiledQuery<unknown>;
  /** Takes over armed events of another incarnation; what it had set aside is due. */
  takeOver(ended: number, limit: number, now: Instant): CompiledQuery<unknown>;
  bringForward(latest: Instant): CompiledQuery<unknown>;
}

const columns = sql.raw(
  'id, event_id, account, main_account, resource, type, payload, callback, created_at, attempts',
);
const unfinished = sql.raw('delivered_at IS NULL AND abandoned_at IS NULL');

/** Without an incarnation all events are this process's own. */
export function outboxQueries(
  { read, dialect }: Pick<Database, 'read' | 'dialect'>,
  incarnation?: number,
): OutboxQueries {
  const build = <Row>(raw: RawBuilder<Row>): CompiledQuery<Row> => raw.compile(read);
  const instant = sql`CAST(${0} AS BIGINT)`;
  const isNumbered = dialect === 'postgres';
  const position = isNumbered ? sql`pg_current_xact_id()::text::bigint + ${instant}` : sql`0`;
  const owner = sql.lit(incarnation ?? 0);
  // The second half names the condition of the partial index.
  const own = incarnation === undefined ? sql`` : sql`AND incarnation = ${owner} AND incarnation <> 0`;

  // The event ahead is finished after this transaction, and its end finds the new event; or it is finished before, and the new one is armed.
  const lock = sql.raw(dialect === 'postgres' ? 'FOR UPDATE' : '');

  const finished = build(sql`
    INSERT INTO outbox (event_id, account, main_account, resource, type, payload, created_at, delivered_at, attempts, written_in)
    VALUES (${''}, ${''}, ${''}, ${''}, ${''}, ${''}, ${instant}, ${instant}, 0, ${position})`);
  const ordered = build(sql`
    INSERT INTO outbox (event_id, account, main_account, resource, type, payload, created_at, callback, attempts, written_in,
      incarnation, next_attempt_at)
    VALUES (${''}, ${''}, ${''}, ${''}, ${''}, ${''}, ${instant}, ${''}, 0, ${position}, ${owner},
      CASE WHEN EXISTS (SELECT 1 FROM outbox WHERE resource = ${''} AND ${unfinished} ${lock}) THEN NULL ELSE ${instant} END)`);
  const unordered = build(sql`
    INSERT INTO outbox (event_id, account, main_account, resource, type, payload, created_at, callback, attempts, written_in,
      incarnation, next_attempt_at)
    VALUES (${''}, ${''}, ${''}, ${''}, ${''}, ${''}, ${instant}, ${''}, 0, ${position}, ${owner}, ${instant})`);
  const armed = build<{ id: number; next_attempt_at: number }>(sql`
    SELECT id, next_attempt_at FROM outbox WHERE next_attempt_at IS NOT NULL ${own}
    ORDER BY next_attempt_at, id LIMIT ${0}`);
  const row = build<OutboxRow>(sql`SELECT ${columns} FROM outbox WHERE id = ${0}`);
  const finish = (column: string) =>
    build(sql`
      UPDATE outbox SET ${sql.raw(column)} = ${instant}, next_attempt_at = NULL, lane = NULL
      WHERE id = ${0} AND ${unfinished}`);
  const delivered = finish('delivered_at');
  const abandoned = finish('abandoned_at');
  const armNext = build(sql`
    UPDATE outbox SET next_attempt_at = ${instant}, incarnation = ${owner} WHERE next_attempt_at IS NULL
    AND id = (SELECT id FROM outbox WHERE resource = ${''} AND ${unfinished} ORDER BY id LIMIT 1)`);
  const postpone = build(sql`
    UPDATE outbox SET next_attempt_at = ${instant}, attempts = attempts + CAST(${0} AS INTEGER), lane = ${''}
    WHERE id = ${0} AND next_attempt_at IS NOT NULL`);
  const resume = build(sql`
    UPDATE outbox SET next_attempt_at = ${instant}, lane = NULL
    WHERE id IN (SELECT id FROM outbox WHERE lane = ${''} ${own} ORDER BY id LIMIT ${0})`);
  const release = build(sql`
    UPDATE outbox SET next_attempt_at = ${instant}, lane = NULL
    WHERE id IN (SELECT id FROM outbox WHERE lane IS NOT NULL LIMIT ${0})`);
  // A process that was alone wrote 0: it has ended, because others use the database now.
  const takeOver = build(sql`
    UPDATE outbox SET incarnation = ${owner}, lane = NULL,
      next_attempt_at = CASE WHEN lane IS NULL THEN next_attempt_at ELSE ${instant} END
    WHERE id IN (SELECT id FROM outbox WHERE incarnation IN (${instant}, 0) AND next_attempt_at IS NOT NULL LIMIT ${0} ${lock})`);
  const bringForward = build(
    sql`UPDATE outbox SET next_attempt_at = ${instant} WHERE next_attempt_at > ${instant} ${own}`,
  );

  return {
    insert(event, offset) {
      const { eventId, account, mainAccount, resource, type, payload, callback, createdAt, dueAt } = event;
      const all = [eventId, account, mainAccount, resource, type, JSON.stringify(payload), createdAt];
      const from = isNumbered ? [offset] : [];
      if (callback === undefined) return { ...finished, parameters: [...all, createdAt, ...from] };
      const target = JSON.stringify(callback);
      return callback.isUnordered === true
        ? { ...unordered, parameters: [...all, target, ...from, dueAt] }
        : { ...ordered, parameters: [...all, target, ...from, resource, dueAt] };
    },
    armed: (limit) => ({ ...armed, parameters: [limit] }),
    row: (id) => ({ ...row, parameters: [id] }),
    finish: (id, outcome, now) => ({
      ...(outcome === 'delivered' ? delivered : abandoned),
      parameters: [now, id],
    }),
    armNext: (resource, now) => ({ ...armNext, parameters: [now, resource] }),
    postpone: (id, until, attempts, lane) => ({ ...postpone, parameters: [until, attempts, lane, id] }),
    resume: (lane, slots, now) => ({ ...resume, parameters: [now, lane, slots] }),
    release: (limit, now) => ({ ...release, parameters: [now, limit] }),
    takeOver: (ended, limit, now) => ({ ...takeOver, parameters: [now, ended, limit] }),
    bringForward: (latest) => ({ ...bringForward, parameters: [latest, latest] }),
  };
}
