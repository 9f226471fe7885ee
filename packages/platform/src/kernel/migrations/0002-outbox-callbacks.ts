import type { Migration } from '@jackfield/ports';

/** `callback` says whom an event is told to; `claimed_at` tells an attempt that is under way from one that is awaited. */
export const outboxCallbacks: Migration = {
  name: 'kernel/0002-outbox-callbacks',
  sql: `
ALTER TABLE outbox ADD COLUMN callback TEXT;
ALTER TABLE outbox ADD COLUMN claimed_at BIGINT;
CREATE INDEX outbox_claimed ON outbox (claimed_at) WHERE claimed_at IS NOT NULL;
`,
};
