import type { Migration } from '@jackfield/ports';

/** `positions` is JSON: milliseconds of each channel that are transcribed. `node` is the machine on whose disk the file begins;
 * `number` distinguishes words of one time. */
export const recordingTranscripts: Migration = {
  name: 'recordings/0008-transcripts',
  sql: `
CREATE TABLE recording_transcripts (
  recording_id TEXT PRIMARY KEY,
  language TEXT NOT NULL,
  redacts_digits INTEGER NOT NULL,
  callback TEXT,
  state TEXT NOT NULL,
  positions TEXT NOT NULL,
  node TEXT NOT NULL,
  failure TEXT,
  failure_code TEXT
);
CREATE INDEX recording_transcripts_pending ON recording_transcripts (state, recording_id);
CREATE TABLE recording_words (
  recording_id TEXT NOT NULL,
  channel INTEGER NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  text TEXT NOT NULL,
  confidence DOUBLE PRECISION,
  number INTEGER NOT NULL,
  PRIMARY KEY (recording_id, from_ms, channel, number)
);
`,
};
