export { tracksOfLeg } from './commands.ts';
export type { MiddleEvent, NewStream, StopReason } from './domain/new-stream.ts';
export type { StreamLifeNotice, Streams } from './door.ts';
export { readExtraHeaders } from './extra-headers.ts';
export { type StreamPlace, streamOperations } from './operations.ts';
export { createStreams, type StreamsFeature } from './streams.ts';
export type { StreamRow } from './tables.ts';
export { streamObjectOf } from './views.ts';
export { isWebSocketPlace, readStreamWish, type StreamWish, webSocketPlaceAllowed } from './wishes.ts';
