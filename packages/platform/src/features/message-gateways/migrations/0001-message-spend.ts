import type { Migration } from '@jackfield/ports';

/** The spend at each gateway, by the minute; the row of minute 0 serialises writers. */
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
