import type { Migration } from '@jackfield/ports';

/** A delivery has its row from the moment its event is written (`waiting`), and keeps every attempt as JSON. */
export const callbackAttempts: Migration = {
  name: 'callbacks/0002-attempts',
  sql: `
ALTER TABLE callbacks ADD COLUMN attempt_log TEXT NOT NULL DEFAULT '[]';
`,
};
