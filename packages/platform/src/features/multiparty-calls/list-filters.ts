import type { MpcListQuery } from '@jackfield/contract';
import { accepted, type Result } from '../../kernel/result.ts';
import type { CallFilters } from './queries.ts';
import type { MultipartyCallRow } from './tables.ts';
import { readTimeRange } from './time-range.ts';

/** Reads the validated query of the list of calls. */
export function readCallFilters(query: MpcListQuery): Result<CallFilters> {
  const created = readTimeRange(query, 'creation_time');
  if (!created.ok) return created;
  const ended = readTimeRange(query, 'end_time');
  if (!ended.ok) return ended;
  return accepted({
    name: query.friendly_name,
    status: query.status?.toLowerCase() as MultipartyCallRow['status'] | undefined,
    terminationCode:
      query.termination_cause_code === undefined ? undefined : Number(query.termination_cause_code),
    subaccount: query.sub_account,
    created: created.value,
    ended: ended.value,
  });
}

/** What the links of a page repeat. */
export function linkFilters(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && entry[0] !== 'limit' && entry[0] !== 'offset',
    ),
  );
}
