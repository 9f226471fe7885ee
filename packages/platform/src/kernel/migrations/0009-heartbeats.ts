import type { Migration } from '@jackfield/ports';

/** Counts up while the process is alive: an observer sees a change without comparing clocks. */
export const heartbeats: Migration = {
  name: 'kernel/0009-heartbeats',
  sql: 'ALTER TABLE incarnations ADD COLUMN beat BIGINT NOT NULL DEFAULT 0;',
};
