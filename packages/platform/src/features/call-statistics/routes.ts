import { maxStatisticsMinutes, statisticsBody, statisticsQuery } from '@jackfield/contract/console';
import type { Database } from '@jackfield/ports';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { readQueriedTime } from '../../kernel/queried-time.ts';
import { accepted } from '../../kernel/result.ts';
import { minuteMs } from './counting/minute-counts.ts';
import { minutesOf } from './queries.ts';

export interface RouteDeps {
  readonly database: Pick<Database, 'read'>;
  /** Writes what is counted so far. */
  flush(): Promise<void>;
  liveCalls(viewer: RequestAccount): Promise<number>;
}

const lengths = { usualMs: 60 * minuteMs, longestMs: maxStatisticsMinutes * minuteMs };

export function callStatisticsRoutes({ database, flush, liveCalls }: RouteDeps): RouteGroup {
  return {
    name: 'Console',
    routes: [
      route({
        method: 'GET',
        path: 'Statistics/',
        operation: 'Retrieve the calls of each minute',
        id: 'retrieveStatistics',
        description:
          'Minutes in which a call began, was answered or ended, oldest first; kept for seven days. The last five seconds may be missing in an installation of several nodes.',
        schema: { query: statisticsQuery, response: statisticsBody },
        success: 200,
        async run({ account, query, now }) {
          const time = readQueriedTime(query, now, lengths);
          if (!time.ok) return time;
          const from = Math.floor(time.value.from / minuteMs) * minuteMs;
          await flush();
          const live = await liveCalls(account);
          const { to } = time.value;
          return accepted({
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
            objects: await minutesOf(database, account.authId, { from, before: to }, live),
          });
        },
      }),
    ],
  };
}
