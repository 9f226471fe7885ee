import type { Migration } from '../../../ports/database.ts';

/** One row, however many streams live: when this process was last known to live with them. */
export const streamsAlive: Migration = {
  name: 'streams/0003-streams-alive',
  sql: `
CREATE TABLE streams_alive (
  id INTEGER PRIMARY KEY,
  alive_at BIGINT NOT NULL
);
`,
};
