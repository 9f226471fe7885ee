import type { Migration } from '@jackfield/ports';

/** `LegQuality` as JSON, written with the end; nothing is looked up by it. */
export const callQuality: Migration = {
  name: 'calls/0005-call-quality',
  sql: 'ALTER TABLE calls ADD COLUMN quality TEXT;',
};
