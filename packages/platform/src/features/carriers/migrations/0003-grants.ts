import type { Migration } from '@jackfield/ports';

/**
 * Where several processes share the database: what each incarnation may use of a carrier's caps, the starts of calls that are left, and
 * the cost of ended calls by minute. `carrier_starts` has the row that a transaction about a carrier locks.
 */
export const carrierGrantsTables: Migration = {
  name: 'carriers/0003-grants',
  sql: `
CREATE TABLE carrier_grants (
  carrier TEXT NOT NULL,
  incarnation BIGINT NOT NULL,
  calls INTEGER NOT NULL,
  units BIGINT NOT NULL,
  request BIGINT NOT NULL,
  PRIMARY KEY (carrier, incarnation)
);
CREATE INDEX carrier_grants_by_incarnation ON carrier_grants (incarnation);
CREATE TABLE carrier_starts (
  carrier TEXT PRIMARY KEY,
  tokens DOUBLE PRECISION NOT NULL,
  refilled_at BIGINT NOT NULL
);
CREATE TABLE carrier_spend (
  carrier TEXT NOT NULL,
  minute BIGINT NOT NULL,
  units BIGINT NOT NULL,
  PRIMARY KEY (carrier, minute)
);
INSERT INTO carrier_spend (carrier, minute, units)
  SELECT carrier, settled_at / 60000, sum(cost) FROM carrier_calls WHERE settled_at IS NOT NULL AND cost > 0
  GROUP BY carrier, settled_at / 60000;
CREATE INDEX carrier_calls_by_incarnation ON carrier_calls (incarnation);
`,
};
