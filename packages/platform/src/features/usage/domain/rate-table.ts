/** What a call costs, in 1e-5 of the currency's unit, so that no float rounds a sum. */
export interface Rate {
  /** 1e-5 units for each minute. */
  readonly perMinute: number;
  /** The least that an answered call is billed for. */
  readonly initialSeconds: number;
  /** The rest is billed in steps of so many seconds. */
  readonly incrementSeconds: number;
}

export type RateDirection = 'inbound' | 'outbound';

export interface RateTable {
  /** ISO 4217. */
  readonly currency: string;
  readonly rates: readonly RateEntry[];
}

export interface RateEntry extends Rate {
  /** Leading digits of an E.164 number without `+`, empty for every number, `sip` for phones without a number, `stream` for audio streams. */
  readonly prefix: string;
  readonly direction: RateDirection | 'both';
}

/** The table of an operator without a table. */
export const freeOfCharge: RateTable = { currency: 'USD', rates: [] };

export type ReadRateTable =
  | { readonly ok: true; readonly table: RateTable }
  /** One sentence for each mistake, with the line or the entry. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** A table of prefixes for the whole world has some 20,000 entries. */
const maxEntries = 200_000;
/** With a larger rate, the cost of a call of a day would exceed the exact whole numbers of a double. */
const maxPerMinute = 1_000_000_000;
const maxSeconds = 86_400;

const prefixShape = /^(?:|sip|stream|[1-9][0-9]{0,14})$/;
const amountShape = /^([0-9]{1,5})(?:\.([0-9]{1,5}))?$/;

/** Reads the operator's document and reports every mistake, not only the first. */
export function readRateTable(text: string): ReadRateTable {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { ok: false, problems: ['the rate table is no JSON'] };
  }
  const problems: string[] = [];
  if (!isObject(document)) {
    return { ok: false, problems: ['the rate table must be an object with currency and rates'] };
  }
  refuseUnknown(document, ['currency', 'rates'], '', problems);
  const { currency, rates } = document;
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    problems.push(`currency must be three capital letters such as "USD", not ${shown(currency)}`);
  }
  if (!Array.isArray(rates) || rates.length > maxEntries) {
    problems.push(`rates must be a list of at most ${maxEntries} entries, not ${shown(rates)}`);
    return { ok: false, problems };
  }
  const entries = rates.map((entry, index) => readEntry(entry, `rates[${index}]`, problems));
  refuseDoubles(entries, problems);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, table: { currency: currency as string, rates: entries as RateEntry[] } };
}

function readEntry(entry: unknown, at: string, problems: string[]): RateEntry | undefined {
  if (!isObject(entry)) {
    problems.push(`${at} must be an object with prefix, direction and per_minute, not ${shown(entry)}`);
    return undefined;
  }
  const before = problems.length;
  const known = ['prefix', 'direction', 'per_minute', 'initial_seconds', 'increment_seconds'];
  refuseUnknown(entry, known, `${at}.`, problems);
  const { prefix, direction, per_minute: amount } = entry;
  if (typeof prefix !== 'string' || !prefixShape.test(prefix)) {
    problems.push(
      `${at}.prefix must be leading digits of a number without +, "sip", "stream" or empty, not ${shown(prefix)}`,
    );
  }
  if (direction !== 'inbound' && direction !== 'outbound' && direction !== 'both') {
    problems.push(`${at}.direction must be "inbound", "outbound" or "both", not ${shown(direction)}`);
  }
  const perMinute = readAmount(amount);
  if (perMinute === undefined) {
    problems.push(
      `${at}.per_minute must be a text such as "0.00850" with at most five decimals, not ${shown(amount)}`,
    );
  }
  const initialSeconds = readSeconds(entry, 'initial_seconds', at, problems);
  const incrementSeconds = readSeconds(entry, 'increment_seconds', at, problems);
  if (problems.length > before) return undefined;
  return {
    prefix: prefix as string,
    direction: direction as RateEntry['direction'],
    perMinute: perMinute!,
    initialSeconds,
    incrementSeconds,
  };
}

/** Whole minutes by default. */
function readSeconds(
  entry: Readonly<Record<string, unknown>>,
  name: string,
  at: string,
  problems: string[],
): number {
  const value = entry[name] ?? 60;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxSeconds) return value;
  problems.push(`${at}.${name} must be a whole number from 1 to ${maxSeconds}, not ${shown(value)}`);
  return 60;
}

/** "0.00850" → 850. */
function readAmount(value: unknown): number | undefined {
  const found = typeof value === 'string' ? amountShape.exec(value) : null;
  if (found === null) return undefined;
  const units = Number(found[1]) * 100_000 + Number((found[2] ?? '').padEnd(5, '0'));
  return units <= maxPerMinute ? units : undefined;
}

function refuseDoubles(entries: readonly (RateEntry | undefined)[], problems: string[]): void {
  const seen = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    if (entry === undefined) continue;
    for (const direction of directionsOf(entry)) {
      const key = `${direction} ${entry.prefix}`;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, index);
      else {
        problems.push(
          `rates[${index}] has the prefix ${shown(entry.prefix)} for ${direction} calls, as rates[${first}] has`,
        );
      }
    }
  }
}

export function directionsOf({ direction }: RateEntry): readonly RateDirection[] {
  return direction === 'both' ? ['inbound', 'outbound'] : [direction];
}

function refuseUnknown(
  object: Readonly<Record<string, unknown>>,
  known: readonly string[],
  at: string,
  problems: string[],
): void {
  for (const name of Object.keys(object)) {
    if (!known.includes(name)) problems.push(`${at}${name} is unknown; known are ${known.join(', ')}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
}
