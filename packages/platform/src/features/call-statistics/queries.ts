import type { StatisticsBucket } from '@jackfield/contract/console';
import type { Database, Instant } from '@jackfield/ports';
import { tablesOf } from './tables.ts';

/** The minutes of an account with a change, oldest first. `live` is the number of its live calls now. */
export async function minutesOf(
  { read }: Pick<Database, 'read'>,
  account: string,
  { from, before }: { readonly from: Instant; readonly before: Instant },
  live: number,
): Promise<StatisticsBucket[]> {
  const minutes = tablesOf(read).selectFrom('call_minutes').where('account', '=', account);
  const [rows, causes, later] = await Promise.all([
    minutes
      .selectAll()
      .where('minute', '>=', from)
      .where('minute', '<', before)
      .orderBy('minute', 'desc')
      .execute(),
    tablesOf(read)
      .selectFrom('call_minute_causes')
      .select(['minute', 'cause', 'total'])
      .where('account', '=', account)
      .where('minute', '>=', from)
      .where('minute', '<', before)
      .orderBy('cause')
      .execute(),
    minutes
      .select(({ fn }) => [fn.sum('attempts').as('attempts'), fn.sum('ended').as('ended')])
      .where('minute', '>=', before)
      .executeTakeFirst(),
  ]);
  const ofMinute = Map.groupBy(causes, ({ minute }) => minute);
  // From now backwards: the calls that began after a minute did not live in it, those that ended after it did.
  let concurrent = live - Number(later?.attempts ?? 0) + Number(later?.ended ?? 0);
  const buckets: StatisticsBucket[] = [];
  for (const { minute, attempts, answered, ended, mos_sum, mos_count } of rows) {
    const ends = (ofMinute.get(minute) ?? []).map(({ cause, total }) => [cause, total] as const);
    buckets.push({
      minute: new Date(minute).toISOString(),
      ...{ attempts, answered, ended },
      concurrent: Math.max(0, concurrent),
      mos: mos_count === 0 ? null : Math.round((mos_sum / mos_count) * 100) / 100,
      causes: Object.fromEntries(ends),
    });
    concurrent += ended - attempts;
  }
  return buckets.reverse();
}
