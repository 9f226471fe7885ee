import type { RecordingListQuery } from '@jackfield/contract';
import type { Instant } from '@jackfield/ports';
import { readIntegerRange } from '../../kernel/integer-range.ts';
import { accepted, type Result } from '../../kernel/result.ts';
import { subaccountFilter } from '../../kernel/subaccount-uri.ts';
import { readTimeRange } from '../../kernel/time-range.ts';
import type { RecordingFilters } from './queries.ts';

/** Reads the validated query of the list of recordings. */
export function readRecordingFilters(query: RecordingListQuery, now: Instant): Result<RecordingFilters> {
  const added = readTimeRange(query, 'add_time');
  if (!added.ok) return added;
  const stored = readIntegerRange(query, 'recording_storage_duration', mostDays);
  return accepted({
    subaccount: subaccountFilter(query),
    callUuid: query.call_uuid?.toLowerCase(),
    mpcUuid: query.mpc_uuid?.toLowerCase(),
    mpcName: query.mpc_name,
    from: query.from_number,
    to: query.to_number,
    added: added.value,
    // A recording of one stored day closed between one and two days ago; a live recording has no closed_at.
    ...(stored && {
      closed: {
        from: now - (stored.atMost + 1) * dayMs + 1,
        before: now - stored.atLeast * dayMs + 1,
      },
    }),
    isEmpty: query.conference_name !== undefined || query.conference_uuid !== undefined,
  });
}

const dayMs = 86_400_000;
/** More than the parameter allows. */
const mostDays = 200_000;
