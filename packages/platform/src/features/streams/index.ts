export { tracksOfLeg } from './commands.ts';
export type {
  MiddleEvent,
  NewStream,
  StopReason,
  StreamCallback,
  StreamLifeNotice,
  Streams,
} from './door.ts';
export { createStreams, type StreamsDeps, type StreamsFeature } from './streams.ts';
export type { StreamRow } from './tables.ts';
export { streamItemOf, streamObjectOf } from './views.ts';
export { readStreamWish, type StreamWish } from './wishes.ts';
