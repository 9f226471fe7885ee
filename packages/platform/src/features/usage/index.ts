export { amountText, createUsage, type ListedRates, type Usage } from './create-usage.ts';
export {
  freeOfCharge,
  type Rate,
  type RateTable,
  readRateTable,
} from './domain/rate-table.ts';
