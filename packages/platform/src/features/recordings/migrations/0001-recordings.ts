import type { Migration } from '@jackfield/ports';

/**
 * The first two indexes answer the lists of a main account and of a subaccount, newest first; the next ones their filters;
 * `recordings_live` is for restart and `recordings_by_close` for the end of the retention time. `recording_files_to_remove` is
 * written with the removal of a record, so that a file goes although the process dies before.
 */
export const recordingsTables: Migration = {
  name: 'recordings/0001-recordings',
  sql: `
CREATE TABLE recordings (
  recording_id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  recording_type TEXT NOT NULL,
  call_uuid TEXT NOT NULL,
  mpc_uuid TEXT,
  mpc_name TEXT,
  from_number TEXT NOT NULL,
  to_number TEXT NOT NULL,
  format TEXT NOT NULL,
  max_seconds INTEGER NOT NULL,
  callback TEXT,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  closed_at BIGINT,
  end_reason TEXT,
  duration_ms BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  failure TEXT,
  is_discarded INTEGER NOT NULL
);
CREATE INDEX recordings_by_main_account ON recordings (main_account, created_at, recording_id);
CREATE INDEX recordings_by_account ON recordings (account, created_at, recording_id);
CREATE INDEX recordings_by_call ON recordings (call_uuid, created_at);
CREATE INDEX recordings_by_mpc ON recordings (mpc_uuid, created_at);
CREATE INDEX recordings_by_mpc_name ON recordings (main_account, mpc_name, created_at);
CREATE INDEX recordings_by_from ON recordings (main_account, from_number, created_at);
CREATE INDEX recordings_by_to ON recordings (main_account, to_number, created_at);
CREATE INDEX recordings_live ON recordings (recording_id) WHERE closed_at IS NULL;
CREATE INDEX recordings_by_close ON recordings (closed_at);

CREATE TABLE recording_files_to_remove (
  file_name TEXT PRIMARY KEY
);
`,
};
