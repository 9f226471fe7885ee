export { createVerify, type VerifyFeature } from './create-verify.ts';
export {
  type Limiter,
  type SendLimits,
  sendLimits,
} from './limits/limiter.ts';
