export type { ChannelMember, RecordingAnnouncement, TrackType } from './domain/recording.ts';
export type { NewRecording, RecordingNotice, RecordingOver, Recordings } from './door.ts';
export { createRecordings, type RecordingsDeps, type RecordingsFeature } from './recordings.ts';
