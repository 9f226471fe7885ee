export { createCalls } from './calls.ts';
export { bareNameIn, dialable, readDestination } from './domain/destination.ts';
export { type CallEnd, callEnds, type HangupNames } from './domain/hangup-cause.ts';
export { isOf, liveCallOf } from './live-call.ts';
export type {
  Calls,
  Conversations,
  LegCallbacks,
  LegOffer,
  LegOwner,
  LiveLeg,
  OutboundLeg,
  OwnedLegNotice,
  TakenOffer,
} from './owned-leg.ts';
