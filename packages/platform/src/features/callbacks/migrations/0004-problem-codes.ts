import type { Migration } from '@jackfield/ports';

/** The code beside `problem`; null for attempts before this migration. */
export const callbackProblemCodesColumn: Migration = {
  name: 'callbacks/0004-problem-codes',
  sql: 'ALTER TABLE callbacks ADD COLUMN problem_code TEXT;',
};
