import type { Migration } from '@jackfield/ports';

/** Of all accounts, for the removal of old sessions. */
export const sessionsByEnd: Migration = {
  name: 'verify/0003-sessions-by-end',
  sql: 'CREATE INDEX verify_sessions_closed ON verify_sessions (closed_at) WHERE closed_at IS NOT NULL;',
};
