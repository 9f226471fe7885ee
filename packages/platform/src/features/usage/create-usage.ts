import type { Feature } from '../../feature.ts';
import type { RateTable } from './domain/rate-table.ts';
import { type ListedRates, Rates, type Usage } from './domain/rates.ts';

export interface UsageFeature extends Feature, Usage, ListedRates {}

/** Calls and streams by the operator's table. */
export function createUsage(table: RateTable): UsageFeature {
  const rates = new Rates(table);
  return {
    name: 'usage',
    currency: rates.currency,
    entries: rates.entries,
    rateOf: (direction, number) => rates.rateOf(direction, number),
    isPriced: (direction, number) => rates.isPriced(direction, number),
    rateOfStreams: () => rates.rateOfStreams(),
    amountOf: (rate, seconds) => rates.amountOf(rate, seconds),
    entriesFor: (number) => rates.entriesFor(number),
  };
}
