import { TestingError } from './testing-error.ts';

/** Milliseconds, or a text such as `500 ms`, `30 s`, `10 min` or `2 h`. */
export type Duration = number | `${number} ${'ms' | 's' | 'min' | 'h'}`;

const msPerUnit: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };

/** The milliseconds of a duration; `name` is the parameter as the caller wrote it. */
export function msOf(duration: Duration, name: string): number {
  const [, number = '', unit = ''] =
    typeof duration === 'number'
      ? ['', String(duration), 'ms']
      : (/^(\d+(?:\.\d+)?) ?(ms|s|min|h)$/.exec(String(duration)) ?? []);
  const ms = Number(number) * (msPerUnit[unit] ?? Number.NaN);
  if (number !== '' && Number.isFinite(ms) && ms >= 0) return ms;
  throw new TestingError(
    'bad-duration',
    `${name} is ${JSON.stringify(duration)}: use milliseconds from 0 on, or a text such as "500 ms", "30 s", "10 min" or "2 h".`,
  );
}

/** For messages: `90000` is `90 s`. */
export function shownMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
