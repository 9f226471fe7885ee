import type { Migration } from '@jackfield/ports';

/** What a participant's seconds in the call cost, by the rate that held when it was added. Null: not billed. */
export const multipartyBills: Migration = {
  name: 'multiparty-calls/0003-bills',
  sql: `
ALTER TABLE multiparty_calls ADD COLUMN billed_units BIGINT NOT NULL DEFAULT 0;
ALTER TABLE multiparty_participants ADD COLUMN rate_per_minute BIGINT NOT NULL DEFAULT 0;
ALTER TABLE multiparty_participants ADD COLUMN rate_initial_seconds INTEGER NOT NULL DEFAULT 60;
ALTER TABLE multiparty_participants ADD COLUMN rate_increment_seconds INTEGER NOT NULL DEFAULT 60;
ALTER TABLE multiparty_participants ADD COLUMN billed_seconds INTEGER;
ALTER TABLE multiparty_participants ADD COLUMN billed_units BIGINT;
`,
};
