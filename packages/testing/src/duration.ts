import { TestingError } from './testing-error.ts';

/** Milliseconds, or a text such as `500 ms`, `30 s`, `10 min` or `2 h`. */
export type Duration = number | `${number} ${'ms' | 's' | 'min' | 'h'}`;

/** 31 days. Waits look at the world every 100 ms of its time, so a longer one would run for hours. */
const longestHours = 744;

const msPerUnit: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };

/** The milliseconds of a duration; `name` is the parameter as the caller wrote it. */
export function msOf(duration: Duration, name: string): number {
  const [, number = '', unit = ''] =
    typeof duration === 'number'
      ? ['', String(duration), 'ms']
      : (/^(\d+(?:\.\d+)?) ?(ms|s|min|h)$/.exec(String(duration)) ?? []);
  const ms = Number(number) * (msPerUnit[unit] ?? Number.NaN);
  if (number !== '' && ms >= 0 && ms <= longestHours * 3_600_000) return ms;
  throw new TestingError(
    'bad-duration',
    `${name} is ${JSON.stringify(duration)}: use milliseconds, or a text such as "500 ms", "30 s", "10 min" or "2 h", from 0 to ${longestHours} h.`,
  );
}

/** For messages: `90000` is `90 s`. */
export function shownMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
