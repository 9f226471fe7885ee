import type { Migration } from '@jackfield/ports';

/** `channels` is JSON: for each channel its pairs of signed bytes in Base64. */
export const recordingPeaks: Migration = {
  name: 'recordings/0007-peaks',
  sql: `
CREATE TABLE recording_peaks (
  recording_id TEXT PRIMARY KEY,
  pair_ms INTEGER NOT NULL,
  channels TEXT NOT NULL
);
`,
};
