export { tracksOfLeg } from './commands.ts';
export { createStreams, type StreamsFeature } from './create-streams.ts';
export type { MiddleEvent, NewStream, StopReason } from './domain/new-stream.ts';
export { allowedExtraHeaders, areExtraHeaders, readExtraHeaders } from './live/extra-headers.ts';
export { type StreamResource, streamOperations } from './operation-routes.ts';
export { allowedWebSocketUrl, isWebSocketUrl, readStreamSpec, type StreamSpec } from './parameters.ts';
export type { Streams } from './public-api.ts';
export type { StreamRow } from './tables.ts';
export { streamObjectOf } from './views.ts';
