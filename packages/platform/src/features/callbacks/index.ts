export { type CallbacksFeature, createCallbacks } from './callbacks.ts';
