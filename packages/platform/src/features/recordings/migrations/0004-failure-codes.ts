import type { Migration } from '@jackfield/ports';

/** The code beside `failure`; null for recordings before this migration. */
export const recordingFailureCodes: Migration = {
  name: 'recordings/0004-failure-codes',
  sql: 'ALTER TABLE recordings ADD COLUMN failure_code TEXT;',
};
