import type { Migration } from '@jackfield/ports';

/** Calls through carriers with a spend cap: reserved costs, and costs of the last hour. */
export const carrierCallsTable: Migration = {
  name: 'carriers/0001-carrier-calls',
  sql: `
CREATE TABLE carrier_calls (
  leg TEXT NOT NULL,
  carrier TEXT NOT NULL,
  number TEXT NOT NULL,
  reserved_at BIGINT NOT NULL,
  worst_case BIGINT NOT NULL,
  settled_at BIGINT,
  cost BIGINT,
  PRIMARY KEY (leg, carrier)
);
CREATE INDEX carrier_calls_by_settled_at ON carrier_calls (settled_at);
`,
};
