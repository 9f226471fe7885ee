import type { Migration } from '@jackfield/ports';

/**
 * What is added to the number of a transaction of PostgreSQL to give the `written_in` of its events, in one row. It is 0 until the database
 * is restored into a server that has counted fewer transactions. The release before then writes events that readers of the stream may miss.
 */
export const eventPositions: Migration = {
  name: 'kernel/0011-event-positions',
  sql: `
CREATE TABLE event_positions (
  transaction_offset BIGINT NOT NULL
);
INSERT INTO event_positions (transaction_offset) VALUES (0);
`,
};
