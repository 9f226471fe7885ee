export type { IncomingCarrierCalls } from './carrying/incoming.ts';
export { type ReadCarriers, readCarriers } from './configuration/read-carriers.ts';
export { createCarriers } from './create-carriers.ts';
export type { Carrier, CarrierAccount } from './domain/carrier.ts';
