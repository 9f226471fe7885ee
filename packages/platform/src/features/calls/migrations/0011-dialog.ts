import type { Migration } from '@jackfield/ports';

/** What another node needs to hang up a live leg; null when it has ended. */
export const callDialog: Migration = {
  name: 'calls/0011-dialog',
  sql: 'ALTER TABLE calls ADD COLUMN dialog TEXT;',
};
