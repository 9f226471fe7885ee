import type { Migration } from '@jackfield/ports';

/** Checks of codes whose session was over or locked. */
export const lateChecks: Migration = {
  name: 'verify/0002-late-checks',
  sql: 'ALTER TABLE verify_sessions ADD COLUMN late_checks BIGINT NOT NULL DEFAULT 0;',
};
