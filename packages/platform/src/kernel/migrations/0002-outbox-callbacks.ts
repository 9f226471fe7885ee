import type { Migration } from '@jackfield/ports';

/** `callback` is the receiver of an event; `claimed_at` is set while an attempt is going on. */
export const outboxCallbacks: Migration = {
  name: 'kernel/0002-outbox-callbacks',
  sql: `
ALTER TABLE outbox ADD COLUMN callback TEXT;
ALTER TABLE outbox ADD COLUMN claimed_at BIGINT;
CREATE INDEX outbox_claimed ON outbox (claimed_at) WHERE claimed_at IS NOT NULL;
`,
};
