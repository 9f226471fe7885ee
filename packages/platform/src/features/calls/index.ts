export { type CallsFeature, createCalls } from './calls.ts';
export { type CallEnd, callEnds } from './domain/hangup-cause.ts';
export type { Calls, OutboundLeg, OwnedLegNotice } from './owned-leg.ts';
