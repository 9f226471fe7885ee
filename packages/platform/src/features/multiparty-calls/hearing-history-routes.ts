import {
  type HearingHistoryItem,
  hearingHistoryList,
  hearingHistoryQuery,
  mpcPath,
  readBoolean,
  readOneOf,
} from '@jackfield/contract';
import type { Database, Instant } from '@jackfield/ports';
import { type ApiRoute, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { readTimeRange } from '../../kernel/time-range.ts';
import { timestampWithMicroseconds } from '../../kernel/timestamps.ts';
import type { MultipartyCallQueries } from './queries.ts';
import { listHearing, type NamedHearing } from './rooms/hearing-history.ts';
import { requestedCall } from './rooms/requested-call.ts';
import { resourceUri } from './views.ts';

const roles = ['agent', 'supervisor', 'customer', 'ai-agent'] as const;

export function hearingHistoryRoute(queries: MultipartyCallQueries, database: Database): ApiRoute {
  return route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Hearing/History/',
    operation: 'Who could hear whom in a multiparty call, and when',
    id: 'listHearingHistory',
    description: 'In the order in which it began; of an ended call too, by its UUID.',
    schema: { params: mpcPath, query: hearingHistoryQuery, response: hearingHistoryList },
    success: 200,
    async run({ account, params, query }) {
      const at = readTimeRange(query, 'at');
      if (!at.ok) return at;
      const found = await requestedCall(queries, account, params.mpc);
      if (!found.ok) return found;
      const call = found.value;
      const filters = {
        listener: numberOf(query.listener),
        speaker: numberOf(query.speaker),
        listenerRole: readOneOf(roles, query.listener_role),
        speakerRole: readOneOf(roles, query.speaker_role),
        isCoach: readBoolean(query.coaching),
        at: at.value,
      };
      return answerPage(
        { query, path: `${resourceUri(call)}Hearing/History/` },
        (page) => listHearing(database, call.mpc_uuid, filters, page),
        itemOf,
      );
    },
  });
}

function itemOf(row: NamedHearing): HearingHistoryItem {
  return {
    listener: {
      member_id: String(row.listener),
      call_uuid: row.listener_call,
      role: row.listener_role,
    },
    speaker: { member_id: String(row.speaker), call_uuid: row.speaker_call, role: row.speaker_role },
    coaching: row.is_coach === 1,
    from_time: timeOf(row.from_at),
    to_time: row.to_at === null ? null : timeOf(row.to_at),
    from_ms: row.from_at,
    to_ms: row.to_at,
  };
}

function timeOf(at: Instant): string {
  return `${timestampWithMicroseconds(at)}+00:00`;
}

function numberOf(memberId: string | undefined): number | undefined {
  return memberId === undefined ? undefined : Number(memberId);
}
