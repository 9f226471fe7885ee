export type { Admission, Limiter, SendLimits, WantedSend, Window } from './limiter.ts';
export { createVerify, type VerifyDeps, type VerifyFeature } from './verify.ts';
