export { type CallbacksFeature, createCallbacks } from './callbacks.ts';
export { type DeliverySettings, parseDeliverySettings } from './domain/delivery-settings.ts';
export {
  createSigner,
  defaultSignaturePrefixes,
  type RequestToSign,
  type SignedRequest,
  type SignRequest,
} from './signed-request.ts';
