import type { Migration } from '../../../ports/database.ts';

/** What bounds the bill of a call whose process died. */
export const callTimeLimit: Migration = {
  name: 'calls/0008-time-limit',
  sql: 'ALTER TABLE calls ADD COLUMN time_limit_seconds INTEGER;',
};
