import type { Migration } from '@jackfield/ports';

/**
 * The event stream reads by main account or by subaccount, in the order of `written_in` (the transaction on PostgreSQL, 0
 * elsewhere) and `id`. An event without a callback is finished when it is written, so the indexes of deliveries leave it out.
 * `lane` is set while an event waits for a slot at its receiver's host.
 */
export const outboxEventStream: Migration = {
  name: 'kernel/0003-event-feed',
  contracts: 'the column sequence, by which events were ordered',
  sql: `
DROP INDEX outbox_by_resource;
DROP INDEX outbox_unfinished;
DROP INDEX outbox_by_age;
ALTER TABLE outbox DROP COLUMN sequence;
ALTER TABLE outbox ADD COLUMN main_account TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN written_in BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN lane TEXT;
UPDATE outbox SET main_account = account;
UPDATE outbox SET delivered_at = created_at, next_attempt_at = NULL, claimed_at = NULL
  WHERE callback IS NULL AND delivered_at IS NULL AND abandoned_at IS NULL;
UPDATE outbox SET next_attempt_at = created_at
  WHERE delivered_at IS NULL AND abandoned_at IS NULL AND next_attempt_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM outbox AS ahead WHERE ahead.resource = outbox.resource AND ahead.id < outbox.id
    AND ahead.delivered_at IS NULL AND ahead.abandoned_at IS NULL);
CREATE INDEX outbox_unfinished ON outbox (resource, id) WHERE delivered_at IS NULL AND abandoned_at IS NULL;
CREATE INDEX outbox_in_lane ON outbox (lane, id) WHERE lane IS NOT NULL;
CREATE INDEX outbox_of_main_account ON outbox (main_account, written_in, id);
CREATE INDEX outbox_of_subaccount ON outbox (account, written_in, id) WHERE account <> main_account;
`,
};
