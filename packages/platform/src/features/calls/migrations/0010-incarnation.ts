import type { Migration } from '@jackfield/ports';

/** In which run of a process its thing lives; 0 in rows from before there were incarnations. */
export const callIncarnation: Migration = {
  name: 'calls/0010-incarnation',
  sql: 'ALTER TABLE calls ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;',
};
