import { type CallListQuery, hangupSources, readInteger, readOneOf } from '@jackfield/contract';
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
  readonly billed?: SecondsRange | undefined;
  /** True when no call can match. */
  readonly isEmpty?: boolean;
}

/** Both ends inclusive. */
export interface SecondsRange {
  readonly atLeast: number;
  readonly atMost: number;
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
    billed: readSeconds(query),
    isEmpty: stir !== undefined && stir !== 'not applicable',
  });
}

/** Seconds, longer than any call; fits into an INTEGER of PostgreSQL. */
const longest = 2_000_000_000;

/** `bill_duration` with the relations of times, in both spellings (docs/interface/requests.md#lists). */
function readSeconds(query: CallListQuery): SecondsRange | undefined {
  const given = (relation: 'gt' | 'gte' | 'lt' | 'lte') =>
    [query[`bill_duration__${relation}`], query[`bill_duration_${relation}`]].flatMap((value) =>
      value === undefined ? [] : [readInteger(value)],
    );
  const exactly = query.bill_duration === undefined ? [] : [readInteger(query.bill_duration)];
  const least = [...exactly, ...given('gte'), ...given('gt').map((value) => value + 1)];
  const most = [...exactly, ...given('lte'), ...given('lt').map((value) => value - 1)];
  if (least.length === 0 && most.length === 0) return undefined;
  return { atLeast: Math.max(0, ...least), atMost: Math.min(longest, ...most) };
}
