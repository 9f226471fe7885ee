import type { Migration } from '@jackfield/ports';
export const callsTable: Migration = {
  name: 'calls/0001-calls',
  sql: `
CREATE TABLE calls (
  call_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  direction TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  from_number TEXT NOT NULL,
  to_number TEXT NOT NULL,
  caller_name TEXT NOT NULL,
  phase TEXT NOT NULL,
  initiated_at BIGINT NOT NULL,
  answered_at BIGINT,
  ended_at BIGINT,
  hangup_code INTEGER,
  hangup_name TEXT,
  hangup_source TEXT
);
CREATE INDEX calls_by_account ON calls (account, initiated_at DESC, call_uuid);
CREATE INDEX calls_live ON calls (call_uuid) WHERE ended_at IS NULL;
`,
};
