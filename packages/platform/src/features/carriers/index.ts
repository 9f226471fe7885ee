export { createCarriers } from './carriers.ts';
export type { Carrier, CarrierAccount } from './domain/carrier.ts';
export type { IncomingCarrierCalls } from './incoming.ts';
export { type ReadCarriers, readCarriers } from './read-carriers.ts';
