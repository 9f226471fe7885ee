export {
  type Limiter,
  type SendLimits,
  sendLimits,
} from './limiter.ts';
export { createVerify, type VerifyFeature } from './verify.ts';
