import type { Migration } from '@jackfield/ports';

/** The code beside `failure`; null for streams before this migration. */
export const streamFailureCodes: Migration = {
  name: 'streams/0003-failure-codes',
  sql: 'ALTER TABLE streams ADD COLUMN failure_code TEXT;',
};
