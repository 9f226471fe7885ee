import type { Migration } from '@jackfield/ports';

/**
 * What the API shows of a call. Lists are of ended calls, newest end first: their indexes are written once, when a call ends.
 * The live ones are found by small indexes of their own. Calls of subaccounts are in indexes of both views, since a subaccount with
 * few calls must not walk through those of its main account.
 */
export const callRecords: Migration = {
  name: 'calls/0002-call-records',
  contracts: 'the columns owner_kind and owner_id, which calls were written with',
  sql: `
DROP INDEX calls_by_account;
DROP INDEX calls_live;
ALTER TABLE calls DROP COLUMN owner_kind;
ALTER TABLE calls DROP COLUMN owner_id;
ALTER TABLE calls ADD COLUMN main_account TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN request_uuid TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN parent_call_uuid TEXT;
ALTER TABLE calls ADD COLUMN parent_request_uuid TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN source_ip TEXT;
ALTER TABLE calls ADD COLUMN callbacks TEXT;
ALTER TABLE calls ADD COLUMN rate_per_minute BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN rate_initial_seconds INTEGER NOT NULL DEFAULT 60;
ALTER TABLE calls ADD COLUMN rate_increment_seconds INTEGER NOT NULL DEFAULT 60;
ALTER TABLE calls ADD COLUMN bill_seconds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN billed_seconds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN total_amount BIGINT NOT NULL DEFAULT 0;
UPDATE calls SET request_uuid = call_uuid, parent_request_uuid = call_uuid, main_account = account;
CREATE INDEX calls_live ON calls (account, call_uuid) WHERE ended_at IS NULL;
CREATE INDEX calls_live_by_main ON calls (main_account, call_uuid) WHERE ended_at IS NULL;
CREATE INDEX calls_live_by_request ON calls (request_uuid) WHERE ended_at IS NULL;
CREATE INDEX calls_by_main ON calls (main_account, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_from ON calls (main_account, from_number, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_to ON calls (main_account, to_number, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_cause ON calls (main_account, hangup_code, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_parent ON calls (main_account, parent_call_uuid, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND parent_call_uuid IS NOT NULL;
CREATE INDEX calls_of_sub ON calls (account, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_of_sub_by_from ON calls (account, from_number, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_of_sub_by_to ON calls (account, to_number, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_of_sub_by_cause ON calls (account, hangup_code, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;

CREATE TABLE call_totals (
  account TEXT NOT NULL,
  slot INTEGER NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (account, slot)
);
INSERT INTO call_totals (account, slot, total)
  SELECT main_account, 0, count(*) FROM calls WHERE ended_at IS NOT NULL GROUP BY main_account;
`,
};
