import type { RoutePrefix } from '@jackfield/ports';
import { type Entry, entryOf, shown } from './operator-entry.ts';

/** No operator has more. */
const maxPrefixes = 50_000;
/** Leading digits of a number, or none. */
export const prefixShape = /^(?:|[1-9][0-9]{0,14})$/;

/** Reads `prefixes` of an operator's entry; `more` reads further fields of each. */
export function readPrefixes<More extends object>(
  entry: Entry,
  moreFields: readonly string[],
  more: (found: Entry) => More,
): readonly (RoutePrefix & More)[] {
  const seen = new Set<string>();
  const known = ['prefix', 'priority', 'weight', ...moreFields];
  return entry.list('prefixes', maxPrefixes).flatMap((each, index) => {
    const found = entryOf(each, `${entry.at}.prefixes[${index}]`, known, entry.problems);
    if (found === undefined) return [];
    const digits = found.text('prefix', prefixShape, 'leading digits of a number without +, or empty') ?? '';
    if (seen.has(digits)) found.wrong('prefix', `is there twice: ${shown(digits)}`);
    seen.add(digits);
    return [
      {
        prefix: digits,
        priority: found.optionalInteger('priority', 1, 1000) ?? 1,
        weight: found.optionalInteger('weight', 1, 1000) ?? 1,
        ...more(found),
      },
    ];
  });
}
