/** How far the clock of the server is ahead of that of the page. */
let aheadMs = 0;
/** `Date` has whole seconds, and an answer is under way for a while: smaller differences are none. */
const leastMs = 5_000;

/** Reads the clock of the server from the `Date` of an answer (RFC 9110 section 6.6.1). */
export function noteDate(date: string | null): void {
  const foundMs = Date.parse(date ?? '') - Date.now();
  if (Math.abs(foundMs - aheadMs) >= leastMs) aheadMs = foundMs;
}

/** Milliseconds since the Unix epoch by the clock of the server, by which ages and ends are right also where the clock of the page is wrong. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}
