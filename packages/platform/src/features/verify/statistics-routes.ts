import {
  maxVerifyStatisticsDays,
  verifyStatisticsBody,
  verifyStatisticsGroups,
  verifyStatisticsQuery,
} from '@jackfield/contract/console';
import type { Database } from '@jackfield/ports';
import { type ApiRoute, route } from '../../http/index.ts';
import { readQueriedTime } from '../../kernel/queried-time.ts';
import { accepted } from '../../kernel/result.ts';
import { funnelOf } from './statistics-queries.ts';

const dayMs = 24 * 60 * 60_000;
const lengths = { usualMs: dayMs, longestMs: maxVerifyStatisticsDays * dayMs };

export function verifyStatisticsRoute(database: Pick<Database, 'read'>): ApiRoute {
  return route({
    method: 'GET',
    path: 'Verify/Statistics/',
    operation: 'Retrieve how many sessions went on at each step',
    id: 'retrieveVerifyStatistics',
    description:
      'Sessions that were created, sent, delivered and verified, the largest row first; of the newest 10,000 sessions of that time.',
    schema: { query: verifyStatisticsQuery, response: verifyStatisticsBody },
    success: 200,
    async run({ account, query, now }) {
      const time = readQueriedTime(query, now, lengths);
      if (!time.ok) return time;
      const requested = query.by?.split(',') ?? [];
      const by = verifyStatisticsGroups.filter((group) => requested.includes(group));
      const { rows, areCut } = await funnelOf(database, account, time.value, by);
      return accepted({
        from: new Date(time.value.from).toISOString(),
        to: new Date(time.value.to).toISOString(),
        are_rows_cut: areCut,
        objects: rows.filter(({ created }) => created > 0),
      });
    },
  });
}
