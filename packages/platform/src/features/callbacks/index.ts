export { type CallbacksFeature, createCallbacks } from './create-callbacks.ts';
export {
  createSigner,
  defaultSignaturePrefixes,
  type RequestToSign,
  type SignedRequest,
  type SignRequest,
} from './delivery/signed-request.ts';
export { type DeliverySettings, parseDeliverySettings } from './domain/delivery-settings.ts';
export { pruneCallbacks } from './store.ts';
