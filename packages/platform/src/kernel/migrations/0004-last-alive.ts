import type { Migration } from '@jackfield/ports';

/** One row, however much lives: when a process was last known to live with it. */
export const lastAliveTable: Migration = {
  name: 'kernel/0004-last-alive',
  sql: `
CREATE TABLE last_alive (
  id INTEGER PRIMARY KEY,
  alive_at BIGINT NOT NULL
);
`,
};
