import type { Migration } from '@jackfield/ports';

/** One row: when a process with billed sessions was last known alive. */
export const lastAliveTable: Migration = {
  name: 'kernel/0004-last-alive',
  sql: `
CREATE TABLE last_alive (
  id INTEGER PRIMARY KEY,
  alive_at BIGINT NOT NULL
);
`,
};
