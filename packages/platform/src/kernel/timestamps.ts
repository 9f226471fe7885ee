import type { Instant } from '@jackfield/ports';

/** `YYYY-MM-DD HH:mm:ss+00:00`: calls and multiparty calls (docs/interface/requests.md#timestamps). */
export function timestampWithOffset(at: Instant): string {
  return `${timestamp(at)}+00:00`;
}

/** The same for a time that may not have come; null until then. */
export function timestampOrNull(at: Instant | null): string | null {
  return at === null ? null : timestampWithOffset(at);
}

/** The last second that was written: the records and events of a call name few seconds, and each text costs 0.4 µs. */
let last = { second: Number.NaN, text: '' };

/** `YYYY-MM-DD HH:mm:ss` in UTC. */
export function timestamp(at: Instant): string {
  const second = Math.floor(at / 1000);
  if (last.second !== second)
    last = { second, text: new Date(at).toISOString().slice(0, 19).replace('T', ' ') };
  return last.text;
}

/** `YYYY-MM-DD HH:mm:ss.ffffff` in UTC, without offset: `session_start` of a live call (docs/interface/requests.md#timestamps). */
export function timestampWithMicroseconds(at: Instant): string {
  return `${timestamp(at)}.${String(Math.floor(at) % 1000).padStart(3, '0')}000`;
}

/** `YYYY-MM-DD`: created and modified of a subaccount (docs/interface/requests.md#timestamps). */
export function dateOnly(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}

const filterShape = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?$/;

/** The format of list filters, `YYYY-MM-DD[ HH:MM[:ss[.uuuuuu]]]` in UTC (docs/interface/requests.md#lists); undefined for any other text. */
export function parseTimestamp(text: string): Instant | undefined {
  const found = filterShape.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const milliseconds = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3));
  const at = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!, milliseconds);
  // Date.UTC carries 31 February over into March, and reads the years 0 to 99 as 19xx.
  const written = `${found[1]}-${found[2]}-${found[3]} ${found[4] ?? '00'}:${found[5] ?? '00'}:${found[6] ?? '00'}`;
  return timestamp(at) === written ? at : undefined;
}
