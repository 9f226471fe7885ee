import type { VerifyStatisticsRow, verifyStatisticsGroups } from '@jackfield/contract/console';
import type { Database } from '@jackfield/ports';
import { type RawBuilder, sql } from 'kysely';
import type { QueriedTime } from '../../kernel/queried-time.ts';
import { viewOf } from '../accounts/index.ts';
import type { Viewer } from './store.ts';
import { reading } from './tables.ts';

export type StatisticsGroup = (typeof verifyStatisticsGroups)[number];

export interface Funnel {
  readonly rows: VerifyStatisticsRow[];
  /** More sessions or rows than are counted or shown. */
  readonly areCut: boolean;
}

/** The newest ones count: a request reads no more sessions. */
const mostSessions = 10_000;
const mostRows = 1_000;
/** The country code and the first digits after it. */
const prefixDigits = 4;

/** Statuses of attempts that left the platform, and of those that reached the phone. */
const sentStatuses = ['sent', 'delivered', 'undelivered', 'in-progress', 'completed', 'no-answer'] as const;
const deliveredStatuses = ['delivered', 'completed'] as const;

/** Sessions of a time, by their steps. A verified session counts as delivered: a gateway without receipts reports none. */
export async function funnelOf(
  { read }: Pick<Database, 'read'>,
  viewer: Viewer,
  { from, to }: QueriedTime,
  by: readonly StatisticsGroup[],
): Promise<Funnel> {
  const sessions = reading(read)
    .selectFrom('verify_sessions')
    .select(['session_uuid', 'recipient', 'status', 'created_at'])
    .where(viewOf(viewer), '=', viewer.authId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .orderBy('created_at', 'desc')
    .limit(mostSessions + 1);
  const steps = reading(read)
    .selectFrom(sessions.as('newest'))
    .select([
      sql<string>`(SELECT channel FROM verify_attempts AS first WHERE first.session_uuid = newest.session_uuid AND first.sequence = 1)`.as(
        'channel',
      ),
      sql<string>`substr(recipient, 2, ${sql.lit(prefixDigits)})`.as('prefix'),
      sql<number>`created_at - created_at % 3600000`.as('hour'),
      sql<number>`CASE WHEN status = 'verified' THEN 1 ELSE 0 END`.as('verified'),
      hasAttempt(sentStatuses).as('sent'),
      hasAttempt(deliveredStatuses).as('delivered'),
    ]);
  const rows = await reading(read)
    .selectFrom(steps.as('steps'))
    .select([...by])
    .select(({ fn }) => [
      fn.countAll().as('created'),
      fn.sum('sent').as('sent'),
      fn.sum('delivered').as('delivered'),
      fn.sum('verified').as('verified'),
    ])
    .$if(by.length > 0, (grouped) => grouped.groupBy([...by]))
    .orderBy('created', 'desc')
    .limit(mostRows + 1)
    .execute();
  const counted = rows.reduce((sum, { created }) => sum + Number(created), 0);
  return {
    rows: rows.slice(0, mostRows).map((row) => shown(row, by)),
    areCut: rows.length > mostRows || counted > mostSessions,
  };
}

function hasAttempt(statuses: readonly string[]): RawBuilder<number> {
  const listed = sql.join(statuses.map((status) => sql.lit(status)));
  return sql<number>`CASE WHEN status = 'verified' OR EXISTS (SELECT 1 FROM verify_attempts AS one WHERE one.session_uuid = newest.session_uuid AND one.status IN (${listed})) THEN 1 ELSE 0 END`;
}

type Counted = Readonly<Record<'created' | 'sent' | 'delivered' | 'verified', unknown>> & {
  readonly channel?: string | null;
  readonly prefix?: string;
  readonly hour?: number;
};

function shown(row: Counted, by: readonly StatisticsGroup[]): VerifyStatisticsRow {
  return {
    // A session whose only attempt was blocked before it had a channel counts as a message.
    ...(by.includes('channel') ? { channel: row.channel ?? 'sms' } : {}),
    ...(by.includes('prefix') ? { prefix: row.prefix ?? '' } : {}),
    ...(by.includes('hour') ? { hour: new Date(Number(row.hour)).toISOString() } : {}),
    created: Number(row.created),
    sent: Number(row.sent ?? 0),
    delivered: Number(row.delivered ?? 0),
    verified: Number(row.verified ?? 0),
  };
}
