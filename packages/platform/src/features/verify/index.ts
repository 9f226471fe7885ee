export {
  type Admission,
  type Limiter,
  type SendLimits,
  sendLimits,
  type WantedSend,
  type Window,
} from './limiter.ts';
export { createVerify, type VerifyDeps, type VerifyFeature } from './verify.ts';
