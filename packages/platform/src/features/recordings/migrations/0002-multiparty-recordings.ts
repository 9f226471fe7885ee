import type { Migration } from '@jackfield/ports';

/**
 * Recordings of multiparty calls: the callback for their events, the number of events, and the members of the channels.
 * `recording_files_to_keep` is written with the end of a recording, so that its file reaches its store even if the process
 * dies before.
 */
export const multipartyRecordings: Migration = {
  name: 'recordings/0002-multiparty-recordings',
  sql: `
ALTER TABLE recordings ADD COLUMN announcement TEXT;
ALTER TABLE recordings ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
ALTER TABLE recordings ADD COLUMN member_id BIGINT;
ALTER TABLE recordings ADD COLUMN track_type TEXT;
ALTER TABLE recordings ADD COLUMN channels TEXT;

CREATE TABLE recording_files_to_keep (
  file_name TEXT PRIMARY KEY,
  attempts INTEGER NOT NULL,
  next_at BIGINT NOT NULL
);
CREATE INDEX recording_files_to_keep_next ON recording_files_to_keep (next_at, file_name);
`,
};
