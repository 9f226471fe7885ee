import type { Migration } from '@jackfield/ports';

/** What bounds the bill of a call whose process died. */
export const callTimeLimit: Migration = {
  name: 'calls/0008-time-limit',
  sql: 'ALTER TABLE calls ADD COLUMN time_limit_seconds INTEGER;',
};
