import type { Migration } from '@jackfield/ports';

/** What was spent at each gateway, by the minute; minute 0 holds the row that writers wait for each other at. */
export const messageSpendTable: Migration = {
  name: 'message-gateways/0001-message-spend',
  sql: `
CREATE TABLE message_spend (
  gateway TEXT NOT NULL,
  minute BIGINT NOT NULL,
  units BIGINT NOT NULL,
  PRIMARY KEY (gateway, minute)
);
`,
};
