export {
  type AddressGuard,
  type AddressRules,
  createAddressGuard,
  createAudioGuard,
} from './address-guard.ts';
export { createHttpEgress, type HttpEgress, type HttpEgressOptions } from './http-egress.ts';
