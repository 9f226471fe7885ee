import type { Migration } from '@jackfield/ports';

/** In which run of a process its thing lives; 0 in rows from before there were incarnations. */
export const sandboxCallIncarnation: Migration = {
  name: 'sandbox-calls/0002-incarnation',
  sql: 'ALTER TABLE sandbox_call_recordings ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;',
};
