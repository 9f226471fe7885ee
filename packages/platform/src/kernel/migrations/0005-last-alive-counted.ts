import type { Migration } from '@jackfield/ports';

/** The same moment in both times of the process: by the wall clock (`alive_at`), and counted from its start. */
export const lastAliveCounted: Migration = {
  name: 'kernel/0005-last-alive-counted',
  sql: 'ALTER TABLE last_alive ADD COLUMN counted_at BIGINT;',
};
