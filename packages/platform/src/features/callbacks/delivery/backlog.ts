import type { Clock, Database, Metrics } from '@jackfield/ports';
import { sql } from 'kysely';
import { askedSeldom } from '../../../kernel/asked-seldom.ts';

export interface BacklogDeps {
  readonly database: Pick<Database, 'read'>;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'gauge'>;
}

/** Bounds a scrape during a long outage of receivers. */
const mostCounted = 10_000;

/** Publishes metrics of callbacks that are neither delivered nor abandoned, by the index of unfinished events. */
export function publishBacklog({ database: { read }, clock, metrics }: BacklogDeps): void {
  const query = sql<{ pending: number | string; oldest: number | string | null }>`
    SELECT count(*) AS pending, min(created_at) AS oldest FROM (
      SELECT created_at FROM outbox WHERE delivered_at IS NULL AND abandoned_at IS NULL
      ORDER BY resource, id LIMIT ${sql.raw(String(mostCounted))}
    ) AS waiting`.compile(read);
  const backlog = askedSeldom(clock, async () => {
    const { pending, oldest } = (await read.executeQuery(query)).rows[0]!;
    return { pending: Number(pending), oldest: oldest === null ? null : Number(oldest) };
  });
  metrics.gauge(
    'jackfield_callbacks_pending',
    `Callbacks that wait for their delivery or another attempt, counted up to ${mostCounted}.`,
    async () => (await backlog()).pending,
  );
  metrics.gauge(
    'jackfield_callback_oldest_pending_seconds',
    'Age of the oldest callback that waits; 0 when none does.',
    async () => {
      const { oldest } = await backlog();
      return oldest === null ? 0 : Math.max(0, clock.wallNow() - oldest) / 1000;
    },
  );
}
