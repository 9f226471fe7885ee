import type { Feature } from '../../feature.ts';
import { directionsOf, type Rate, type RateDirection, type RateTable } from './domain/rate-table.ts';

/** What calls cost by the operator's table. */
export interface Usage {
  readonly currency: string;
  /** By the longest prefix of the number in E.164, with or without `+`; any other text has the rate of `sip`. */
  rateOf(direction: RateDirection, number: string): Rate;
  /** Of an audio stream: the entry with the prefix `stream`, outbound before inbound. */
  rateOfStreams(): Rate;
  /** The cost of a call that was answered for so many seconds; an unanswered call is free. */
  amountOf(rate: Rate, seconds: number): Bill;
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

export interface UsageFeature extends Feature, Usage {}

/** Reads a map at most sixteen times, however long the table is. */
export function createUsage(table: RateTable): UsageFeature {
  const rates = { inbound: new Map<string, Rate>(), outbound: new Map<string, Rate>() };
  for (const entry of table.rates) {
    const { perMinute, initialSeconds, incrementSeconds } = entry;
    const rate: Rate = { perMinute, initialSeconds, incrementSeconds };
    for (const direction of directionsOf(entry)) rates[direction].set(entry.prefix, rate);
  }

  return {
    name: 'usage',
    currency: table.currency,
    rateOf(direction, number) {
      const ofDirection = rates[direction];
      const digits = /^\+?([1-9][0-9]{1,14})$/.exec(number)?.[1];
      if (digits === undefined) return ofDirection.get('sip') ?? free;
      for (let length = Math.min(digits.length, longestPrefix); length >= 0; length--) {
        const rate = ofDirection.get(digits.slice(0, length));
        if (rate !== undefined) return rate;
      }
      return free;
    },
    rateOfStreams: () => rates.outbound.get('stream') ?? rates.inbound.get('stream') ?? free,
    amountOf(rate, seconds) {
      if (seconds <= 0) return unanswered;
      const { perMinute, initialSeconds, incrementSeconds } = rate;
      const beyond = Math.max(0, Math.ceil(seconds) - initialSeconds);
      const billedSeconds = initialSeconds + Math.ceil(beyond / incrementSeconds) * incrementSeconds;
      // Half a unit is rounded up, in whole numbers.
      const units = Math.floor((perMinute * billedSeconds * 2 + 60) / 120);
      return { billedSeconds, units, amount: amountText(units) };
    },
  };
}

/** 500 → `0.00500`: five decimals (docs/interface/requests.md#money). */
export function amountText(units: number): string {
  const digits = String(units).padStart(6, '0');
  return `${digits.slice(0, -5)}.${digits.slice(-5)}`;
}
