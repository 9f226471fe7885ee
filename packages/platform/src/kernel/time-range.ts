import type { Instant } from '@jackfield/ports';
import { invalidParameter } from './problem.ts';
import { accepted, type Result, refused } from './result.ts';
import { parseTimestamp } from './timestamps.ts';

/** Instants from `from` on and before `before`. */
export interface TimeRange {
  readonly from?: Instant;
  readonly before?: Instant;
}

const allowed = 'a time in UTC of the form YYYY-MM-DD HH:MM[:ss[.uuuuuu]]';

/**
 * Reads `<parameter>`, `<parameter>__gt` and its like, and the spelling with one underscore that a client's name mangler
 * makes of them (docs/interface/requests.md#lists). Objects show whole seconds, so "after 10:00:00" begins at 10:00:01 and a time without
 * seconds means that whole minute.
 */
export function readTimeRange(
  query: Readonly<Record<string, unknown>>,
  parameter: string,
): Result<TimeRange | undefined> {
  let from: Instant | undefined;
  let before: Instant | undefined;
  for (const relation of ['', '_gt', '_gte', '_lt', '_lte', '__gt', '__gte', '__lt', '__lte']) {
    const text = query[parameter + relation];
    if (text === undefined) continue;
    // The form in which objects show their times; an unescaped + arrives as a space.
    const plain = String(text).replace(/(?:Z|[+ ]00:00)$/, '');
    const at = parseTimestamp(plain);
    if (at === undefined) return refused(invalidParameter(parameter + relation, text, allowed));
    const after = at + unitOf(plain, relation === '');
    const bound = relation.replaceAll('_', '');
    if (bound === 'gt' || bound === 'gte' || bound === '') {
      from = Math.max(from ?? -Infinity, bound === 'gt' ? after : at);
    }
    if (bound === 'lt' || bound === 'lte' || bound === '') {
      before = Math.min(before ?? Infinity, bound === 'lt' ? at : after);
    }
  }
  if (from === undefined && before === undefined) return accepted(undefined);
  return accepted({ ...(from === undefined ? {} : { from }), ...(before === undefined ? {} : { before }) });
}

/** Milliseconds that a written time stands for. */
function unitOf(text: string, isEquality: boolean): number {
  if (text.includes('.')) return 1;
  if (!isEquality) return 1000;
  const colons = text.split(':').length - 1;
  if (colons === 2) return 1000;
  return colons === 1 ? 60_000 : 86_400_000;
}
