import type { Migration } from '@jackfield/ports';

/** `X-PH-…` of the INVITE as JSON, for the callback of the end after a crash; null when the leg has ended. */
export const callHeaders: Migration = {
  name: 'calls/0012-headers',
  sql: 'ALTER TABLE calls ADD COLUMN headers TEXT;',
};
