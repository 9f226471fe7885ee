import { type CallListQuery, hangupSources, readInteger, readOneOf } from '@jackfield/contract';
import { type IntegerRange, readIntegerRange } from '../../kernel/integer-range.ts';
import { accepted, type Result } from '../../kernel/result.ts';
import { readTimeRange, type TimeRange } from '../../kernel/time-range.ts';

/** Filters of a list. */
export interface CallFilters {
  readonly subaccount?: string | undefined;
  readonly direction?: 'inbound' | 'outbound' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly parent?: string | undefined;
  readonly cause?: number | undefined;
  readonly source?: string | undefined;
  readonly ended?: TimeRange | undefined;
  readonly billed?: IntegerRange | undefined;
  /** True when no call can match. */
  readonly isEmpty?: boolean;
}

/** Reads the validated query of the list of calls. */
export function readCallFilters(query: CallListQuery): Result<CallFilters> {
  const ended = readTimeRange(query, 'end_time');
  if (!ended.ok) return ended;
  const stir = query.stir_verification?.toLowerCase();
  return accepted({
    subaccount: query.subaccount,
    direction: readOneOf(['inbound', 'outbound'], query.call_direction),
    from: query.from_number,
    to: query.to_number,
    parent: query.parent_call_uuid?.toLowerCase(),
    cause: readInteger(query.hangup_cause_code),
    source: readOneOf(hangupSources, query.hangup_source),
    ended: ended.value,
    billed: readIntegerRange(query, 'bill_duration', longest),
    isEmpty: stir !== undefined && stir !== 'not applicable',
  });
}

/** Seconds, longer than any call; fits into an INTEGER of PostgreSQL. */
const longest = 2_000_000_000;
