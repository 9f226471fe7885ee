import type { Migration } from '@jackfield/ports';

/** In which run of a process its thing lives; 0 in rows from before there were incarnations. */
export const recordingIncarnation: Migration = {
  name: 'recordings/0005-incarnation',
  sql: 'ALTER TABLE recordings ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;',
};
