import type { Migration } from '@jackfield/ports';

/**
 * The incarnation that delivers an armed event, on a database that several processes share; 0 where one process owns the database, which
 * delivers all and has no use for the index. `claimed_at` is not written any more; a later release removes it.
 */
export const outboxIncarnation: Migration = {
  name: 'kernel/0008-outbox-incarnation',
  sql: `
ALTER TABLE outbox ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;
CREATE INDEX outbox_due_in_incarnation ON outbox (incarnation, next_attempt_at, id)
  WHERE next_attempt_at IS NOT NULL AND incarnation <> 0;
`,
};
