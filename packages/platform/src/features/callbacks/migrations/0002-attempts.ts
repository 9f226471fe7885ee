import type { Migration } from '@jackfield/ports';

/** A delivery has its row (`waiting`) as soon as its event is written, and keeps every attempt as JSON. */
export const callbackAttempts: Migration = {
  name: 'callbacks/0002-attempts',
  sql: `
ALTER TABLE callbacks ADD COLUMN attempt_log TEXT NOT NULL DEFAULT '[]';
`,
};
