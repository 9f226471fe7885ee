export { createVerify } from './create-verify.ts';
export { sendLimits } from './limits/limiter.ts';
