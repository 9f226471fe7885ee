import type { Migration } from '@jackfield/ports';

/** In which run of a process its thing lives; 0 in rows from before there were incarnations. */
export const verifyIncarnation: Migration = {
  name: 'verify/0004-incarnation',
  sql: 'ALTER TABLE verify_sessions ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;',
};
