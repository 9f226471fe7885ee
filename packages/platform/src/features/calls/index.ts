export { createCalls } from './create-calls.ts';
export { bareNameIn, dialable, readDestination } from './domain/destination.ts';
export type { CallStep } from './legs/call-steps.ts';
export { isOf, liveCallOf } from './legs/live-call.ts';
export type { OrphanedLeg } from './legs/orphaned-legs.ts';
export type { LiveCallRecord } from './live-queries.ts';
export type {
  CallsOverNodes,
  NamedCall,
  OtherNodes,
  PassedTransfer,
  TransferMove,
} from './nodes/other-nodes.ts';
export type {
  AnsweringAccount,
  Calls,
  Conversations,
  LaterCalls,
  LegCallbacks,
  LegOffer,
  LegOwner,
  LiveLeg,
  OutboundLeg,
  OwnedLegNotice,
  TakenOffer,
} from './public-api.ts';
