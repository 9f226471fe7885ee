import type { Migration } from '@jackfield/ports';

/** Names of files, so that the next process removes the files of a killed process. */
export const sandboxCallRecordings: Migration = {
  name: 'sandbox-calls/0001-recordings',
  sql: `
CREATE TABLE sandbox_call_recordings (
  sandbox_call_uuid TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL
);
`,
};
