import type { Migration } from '@jackfield/ports';

/** `ClientQuality` as JSON; reports of pages write it beside the record of the leg. */
export const clientQuality: Migration = {
  name: 'calls/0009-client-quality',
  sql: 'ALTER TABLE calls ADD COLUMN client_quality TEXT;',
};
