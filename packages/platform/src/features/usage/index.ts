export { createUsage } from './create-usage.ts';
export {
  freeOfCharge,
  type Rate,
  type RateTable,
  readRateTable,
} from './domain/rate-table.ts';
export { amountText, type ListedRates, type Usage } from './domain/rates.ts';
