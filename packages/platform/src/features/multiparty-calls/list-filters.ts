import type { MpcListQuery } from '@jackfield/contract';
import { accepted, type Result } from '../../kernel/result.ts';
import { subaccountFilter } from '../../kernel/subaccount-uri.ts';
import { readTimeRange } from '../../kernel/time-range.ts';
import type { CallFilters } from './queries.ts';
import type { MultipartyCallRow } from './tables.ts';

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
    subaccount: subaccountFilter(query),
    created: created.value,
    ended: ended.value,
  });
}
