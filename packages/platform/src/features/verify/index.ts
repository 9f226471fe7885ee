export { createVerify } from './create-verify.ts';
export { spokenDigits } from './delivery/spoken-digits.ts';
export { sendLimits } from './limits/limiter.ts';
