import type { Database, Instant, Write } from '@jackfield/ports';
import { sql } from 'kysely';
import { presentAccounts } from '../accounts/index.ts';
import type { MinuteCounts } from './counting/minute-counts.ts';
import { tablesOf } from './tables.ts';

/** Rows of one statement. */
const portion = 100;

/** SQL of the minutes. */
export function createCallStatisticsStore(database: Pick<Database, 'read' | 'transact'>) {
  return {
    /** Adds to what other processes have counted in the same minutes. Counts of accounts that were deleted meanwhile are left out. */
    async add(counts: readonly MinuteCounts[]): Promise<void> {
      await database.transact(
        async (write) => {
          for (let at = 0; at < counts.length; at += portion) {
            await addPortion(write, counts.slice(at, at + portion));
          }
        },
        { isolation: 'read-committed', key: 'call-statistics' },
      );
    },

    /** The oldest first, at most `limit`. */
    async removeOld(before: Instant, limit: number): Promise<number> {
      return database.transact(async (write) => {
        const old = await tablesOf(write)
          .selectFrom('call_minutes')
          .select(['account', 'minute'])
          .where('minute', '<', before)
          .orderBy('minute')
          .limit(limit)
          .execute();
        for (const { account, minute } of old) {
          for (const table of ['call_minutes', 'call_minute_causes'] as const) {
            await tablesOf(write)
              .deleteFrom(table)
              .where('account', '=', account)
              .where('minute', '=', minute)
              .execute();
          }
        }
        return old.length;
      });
    },

    async removeOf(write: Write, account: string): Promise<void> {
      await tablesOf(write).deleteFrom('call_minutes').where('account', '=', account).execute();
      await tablesOf(write).deleteFrom('call_minute_causes').where('account', '=', account).execute();
    },
  };
}

async function addPortion(write: Write, all: readonly MinuteCounts[]): Promise<void> {
  const present = await presentAccounts(write, [...new Set(all.map(({ account }) => account))]);
  const counts = all.filter(({ account }) => present.has(account));
  if (counts.length === 0) return;
  await tablesOf(write)
    .insertInto('call_minutes')
    .values(
      counts.map(({ account, minute, attempts, answered, ended, mosSum, mosCount }) => ({
        ...{ account, minute, attempts, answered, ended },
        ...{ mos_sum: mosSum, mos_count: mosCount },
      })),
    )
    .onConflict((on) =>
      on.columns(['account', 'minute']).doUpdateSet({
        attempts: sql<number>`call_minutes.attempts + excluded.attempts`,
        answered: sql<number>`call_minutes.answered + excluded.answered`,
        ended: sql<number>`call_minutes.ended + excluded.ended`,
        mos_sum: sql<number>`call_minutes.mos_sum + excluded.mos_sum`,
        mos_count: sql<number>`call_minutes.mos_count + excluded.mos_count`,
      }),
    )
    .execute();
  for (const { account, minute, causes } of counts) {
    if (causes.size === 0) continue;
    await tablesOf(write)
      .insertInto('call_minute_causes')
      .values([...causes].sort().map(([cause, total]) => ({ account, minute, cause, total })))
      .onConflict((on) =>
        on
          .columns(['account', 'minute', 'cause'])
          .doUpdateSet({ total: sql<number>`call_minute_causes.total + excluded.total` }),
      )
      .execute();
  }
}
