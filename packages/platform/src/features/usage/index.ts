export {
  freeOfCharge,
  type Rate,
  type RateTable,
  readRateTable,
} from './domain/rate-table.ts';
export { amountText, createUsage, type Usage } from './usage.ts';
