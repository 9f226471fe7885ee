import type { Migration } from '@jackfield/ports';

/** In which run of a process its thing lives; 0 in rows from before there were incarnations. */
export const multipartyCallIncarnation: Migration = {
  name: 'multiparty-calls/0008-incarnation',
  sql: 'ALTER TABLE multiparty_calls ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;',
};
