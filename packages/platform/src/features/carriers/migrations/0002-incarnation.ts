import type { Migration } from '@jackfield/ports';

/** In which run of a process its thing lives; 0 in rows from before there were incarnations. */
export const carrierCallIncarnation: Migration = {
  name: 'carriers/0002-incarnation',
  sql: 'ALTER TABLE carrier_calls ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;',
};
