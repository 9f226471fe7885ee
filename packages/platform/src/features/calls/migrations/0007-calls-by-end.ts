import type { Migration } from '@jackfield/ports';

/** Of all accounts, for the removal of old calls. */
export const callsByEnd: Migration = {
  name: 'calls/0007-calls-by-end',
  sql: 'CREATE INDEX calls_by_end ON calls (ended_at) WHERE ended_at IS NOT NULL;',
};
