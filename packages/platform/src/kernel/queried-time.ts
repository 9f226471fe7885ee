import type { Instant } from '@jackfield/ports';
import { invalidParameter } from './problem.ts';
import { accepted, type Result, refused } from './result.ts';
import { parseTimestamp } from './timestamps.ts';

export interface QueriedTime {
  readonly from: Instant;
  /** Not included. */
  readonly to: Instant;
}

/** Reads `from` and `to` of a query: until now, included, where `to` is left out; `usualMs` long where `from` is. */
export function readQueriedTime(
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Instant,
  { usualMs, longestMs }: { readonly usualMs: number; readonly longestMs: number },
): Result<QueriedTime> {
  const to = query.to === undefined ? now + 1 : instantOf(query.to);
  if (to === undefined) return refused(invalidParameter('to', query.to, allowed));
  const from = query.from === undefined ? to - usualMs : instantOf(query.from);
  if (from === undefined) return refused(invalidParameter('from', query.from, allowed));
  if (from >= to || to - from > longestMs) {
    const sentence = `a time before to, by at most ${longestMs / 60_000} minutes`;
    return refused(invalidParameter('from', query.from ?? new Date(from).toISOString(), sentence));
  }
  return accepted({ from, to });
}

const allowed = 'a time in UTC, such as 2026-02-01T10:00:00Z';

/** An unescaped + arrives as a space. */
function instantOf(text: string): Instant | undefined {
  return parseTimestamp(text.replace(/(?:Z|[+ ]00:00)$/, ''));
}
