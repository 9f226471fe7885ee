/** Milliseconds of a time of the API: `2026-02-01 10:00:00+00:00`, `2026-02-01 10:00:00.000000` in UTC, or RFC 3339. */
export function readTime(text: string): number {
  const iso = text.replace(' ', 'T');
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`);
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 minutes ago`. */
export function agoOf(ms: number, now: number): string {
  const seconds = Math.round((ms - now) / 1000);
  const [unit, size] = steps.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return relative.format(Math.round(seconds / size), unit);
}

/** `2026-02-01 10:00:00` in the reader's time zone. */
export function dateOf(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `1:05` or `1:00:05`. */
export function lengthOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const rest = `${String(Math.floor(whole / 60) % 60).padStart(whole < 3600 ? 1 : 2, '0')}:${String(whole % 60).padStart(2, '0')}`;
  return whole < 3600 ? rest : `${Math.floor(whole / 3600)}:${rest}`;
}
