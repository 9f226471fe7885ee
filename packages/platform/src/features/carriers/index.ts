export type { IncomingCarrierCalls } from './carrying/incoming.ts';
export { type ReadCarriers, readCarriers } from './configuration/read-carriers.ts';
export { createCarriers } from './create-carriers.ts';
export { type Carrier, type CarrierAccount, uriAt as carrierUri } from './domain/carrier.ts';
