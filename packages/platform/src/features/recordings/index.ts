export type { ChannelMember } from './domain/recording.ts';
export type { NewRecording, RecordingNotice, RecordingOver, Recordings } from './door.ts';
export { createRecordings, type RecordingsFeature } from './recordings.ts';
