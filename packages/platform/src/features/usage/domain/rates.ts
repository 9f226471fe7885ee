import { directionsOf, type Rate, type RateDirection, type RateEntry, type RateTable } from './rate-table.ts';

/** What calls cost by the operator's table. */
export interface Usage {
  readonly currency: string;
  /** By the longest prefix of the number in E.164, with or without `+`; any other text has the rate of `sip`. */
  rateOf(direction: RateDirection, number: string): Rate;
  /** Whether an entry fits; without one the rate is zero, as it is by an entry with the price 0. */
  isPriced(direction: RateDirection, number: string): boolean;
  /** Of an audio stream: the entry with the prefix `stream`, outbound before inbound. */
  rateOfStreams(): Rate;
  /** The cost of a call that was answered for so many seconds; an unanswered call is free. */
  amountOf(rate: Rate, seconds: number): Bill;
}

/** The table itself, for its operator. */
export interface ListedRates {
  readonly currency: string;
  /** The whole table, in the order of the operator. */
  readonly entries: readonly RateEntry[];
  /** The entries that fit a number, in both directions, the longest prefix first. */
  entriesFor(number: string): readonly RateEntry[];
}

export interface Bill {
  readonly billedSeconds: number;
  /** 1e-5 units. */
  readonly units: number;
  /** The same as text, e.g. `0.00500`. */
  readonly amount: string;
}

const free: Rate = { perMinute: 0, initialSeconds: 60, incrementSeconds: 60 };
const unanswered: Bill = { billedSeconds: 0, units: 0, amount: '0.00000' };
const longestPrefix = 15;

/** Reads a map at most sixteen times, however long the table is. */
export class Rates implements Usage, ListedRates {
  readonly currency: string;
  readonly entries: readonly RateEntry[];
  readonly #rates = { inbound: new Map<string, Rate>(), outbound: new Map<string, Rate>() };
  readonly #byPrefix = new Map<string, RateEntry[]>();

  constructor({ currency, rates }: RateTable) {
    this.currency = currency;
    this.entries = rates;
    for (const entry of rates) {
      this.#byPrefix.set(entry.prefix, [...(this.#byPrefix.get(entry.prefix) ?? []), entry]);
      const { perMinute, initialSeconds, incrementSeconds } = entry;
      const rate: Rate = { perMinute, initialSeconds, incrementSeconds };
      for (const direction of directionsOf(entry)) this.#rates[direction].set(entry.prefix, rate);
    }
  }

  rateOf(direction: RateDirection, number: string): Rate {
    return this.#entryOf(direction, number) ?? free;
  }

  isPriced(direction: RateDirection, number: string): boolean {
    return this.#entryOf(direction, number) !== undefined;
  }

  #entryOf(direction: RateDirection, number: string): Rate | undefined {
    for (const prefix of prefixesOf(number)) {
      const rate = this.#rates[direction].get(prefix);
      if (rate !== undefined) return rate;
    }
    return undefined;
  }

  rateOfStreams(): Rate {
    return this.#rates.outbound.get('stream') ?? this.#rates.inbound.get('stream') ?? free;
  }

  entriesFor(number: string): readonly RateEntry[] {
    return [...prefixesOf(number)].flatMap((prefix) => this.#byPrefix.get(prefix) ?? []);
  }

  amountOf({ perMinute, initialSeconds, incrementSeconds }: Rate, seconds: number): Bill {
    if (seconds <= 0) return unanswered;
    const beyond = Math.max(0, Math.ceil(seconds) - initialSeconds);
    const billedSeconds = initialSeconds + Math.ceil(beyond / incrementSeconds) * incrementSeconds;
    // Half a unit is rounded up, in whole numbers.
    const units = Math.floor((perMinute * billedSeconds * 2 + 60) / 120);
    return { billedSeconds, units, amount: amountText(units) };
  }
}

/** The longest first; every text that is no number has the prefix `sip` alone. */
function* prefixesOf(number: string): Generator<string> {
  const digits = /^\+?([1-9][0-9]{1,14})$/.exec(number)?.[1];
  if (digits === undefined) return yield 'sip';
  for (let length = Math.min(digits.length, longestPrefix); length >= 0; length--) {
    yield digits.slice(0, length);
  }
}

/** 500 → `0.00500`: five decimals (docs/interface/requests.md#money). */
export function amountText(units: number): string {
  const digits = String(units).padStart(6, '0');
  return `${digits.slice(0, -5)}.${digits.slice(-5)}`;
}
