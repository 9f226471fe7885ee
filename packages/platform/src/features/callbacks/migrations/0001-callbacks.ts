import type { Migration } from '@jackfield/ports';

/** One row for each event and receiver, with its last attempt. `callbacks_by_age` serves the pruning. */
export const callbacksTable: Migration = {
  name: 'callbacks/0001-callbacks',
  sql: `
CREATE TABLE callbacks (
  callback_id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  resource TEXT NOT NULL,
  event_type TEXT NOT NULL,
  url TEXT NOT NULL,
  method TEXT NOT NULL,
  fields TEXT NOT NULL,
  headers TEXT NOT NULL,
  signed_v2 TEXT NOT NULL,
  signed_v3 TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  response_status INTEGER,
  problem TEXT,
  duration_ms INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  last_attempt_at BIGINT NOT NULL,
  next_attempt_at BIGINT
);
CREATE INDEX callbacks_by_account ON callbacks (account, created_at);
CREATE INDEX callbacks_by_main_account ON callbacks (main_account, created_at);
CREATE INDEX callbacks_by_resource ON callbacks (resource, created_at);
CREATE INDEX callbacks_by_age ON callbacks (created_at);
`,
};
