export {
  freeOfCharge,
  type Rate,
  type RateDirection,
  type RateTable,
  type ReadRateTable,
  readRateTable,
} from './domain/rate-table.ts';
export { amountText, type Bill, createUsage, type Usage } from './usage.ts';
