import type { Migration } from '@jackfield/ports';

/**
 * An event is *armed* while `next_attempt_at` is set. Only the oldest unfinished event of a resource is armed, so that reading due
 * events never scans the events that wait behind it.
 */
export const outboxTable: Migration = {
  name: 'kernel/0001-outbox',
  sql: `
CREATE TABLE outbox (
  id {{identity}},
  event_id TEXT NOT NULL,
  account TEXT NOT NULL,
  resource TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  delivered_at BIGINT,
  abandoned_at BIGINT,
  attempts INTEGER NOT NULL,
  next_attempt_at BIGINT
);
CREATE UNIQUE INDEX outbox_by_resource ON outbox (resource, sequence);
CREATE INDEX outbox_unfinished ON outbox (resource, sequence) WHERE delivered_at IS NULL AND abandoned_at IS NULL;
CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX outbox_by_age ON outbox (created_at);
`,
};
