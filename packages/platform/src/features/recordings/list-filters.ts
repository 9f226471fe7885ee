import type { RecordingListQuery } from '@jackfield/contract';
import { accepted, type Result } from '../../kernel/result.ts';
import { readTimeRange } from '../../kernel/time-range.ts';
import type { RecordingFilters } from './queries.ts';

/** Reads the validated query of the list of recordings. */
export function readRecordingFilters(query: RecordingListQuery): Result<RecordingFilters> {
  const added = readTimeRange(query, 'add_time');
  if (!added.ok) return added;
  return accepted({
    subaccount: query.subaccount,
    callUuid: query.call_uuid?.toLowerCase(),
    mpcUuid: query.mpc_uuid?.toLowerCase(),
    mpcName: query.mpc_name,
    from: query.from_number,
    to: query.to_number,
    added: added.value,
    isEmpty: query.conference_name !== undefined || query.conference_uuid !== undefined,
  });
}
