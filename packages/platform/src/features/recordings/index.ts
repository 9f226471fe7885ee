export { createRecordings, type RecordingsFeature } from './create-recordings.ts';
export type { ChannelMember } from './domain/recording.ts';
export type { TranscriptRequest } from './domain/transcript-request.ts';
export { recordingOfLeg } from './orders/leg-recording.ts';
export type { NewRecording, RecordingNotice, RecordingOver, Recordings } from './public-api.ts';
export { noTranscripts, readTranscriptRequest } from './transcripts/read-transcript-request.ts';
