export { type CallsDeps, type CallsFeature, createCalls } from './calls.ts';
export { type CallStatus, statusOfEndedCall } from './domain/call-status.ts';
export { bareNameIn, dialable, readDestination } from './domain/destination.ts';
export { type CallEnd, callEnds, type HangupCode, type HangupNames } from './domain/hangup-cause.ts';
export { isOf, liveCallOf } from './live-call.ts';
export type {
  CallbackUrl,
  Calls,
  Conversations,
  LegCallbacks,
  LegOffer,
  LegOwner,
  LiveLeg,
  OutboundLeg,
  OwnedLegNotice,
  Successor,
  TakenOffer,
} from './owned-leg.ts';
