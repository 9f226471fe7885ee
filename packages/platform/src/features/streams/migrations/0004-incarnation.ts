import type { Migration } from '@jackfield/ports';

/** In which run of a process its thing lives; 0 in rows from before there were incarnations. */
export const streamIncarnation: Migration = {
  name: 'streams/0004-incarnation',
  sql: 'ALTER TABLE streams ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;',
};
