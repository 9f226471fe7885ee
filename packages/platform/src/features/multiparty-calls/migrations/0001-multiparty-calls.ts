import type { Migration } from '@jackfield/ports';

/**
 * `multiparty_calls_live` keeps a name unique among the live calls of an account. The other indexes answer the lists of a
 * main account and of a subaccount, newest first, and the restart.
 */
export const multipartyCallsTables: Migration = {
  name: 'multiparty-calls/0001-multiparty-calls',
  sql: `
CREATE TABLE multiparty_calls (
  mpc_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  friendly_name TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  termination_code INTEGER,
  billed_seconds INTEGER NOT NULL,
  max_participants INTEGER NOT NULL,
  max_duration_seconds INTEGER NOT NULL,
  stay_alone INTEGER NOT NULL,
  record_min_member_count INTEGER NOT NULL,
  status_callback_url TEXT,
  status_callback_method TEXT,
  status_callback_events TEXT,
  recording_callback_url TEXT,
  recording_callback_method TEXT
);
CREATE UNIQUE INDEX multiparty_calls_live ON multiparty_calls (account, friendly_name) WHERE ended_at IS NULL;
CREATE INDEX multiparty_calls_by_main_account ON multiparty_calls (main_account, created_at, mpc_uuid);
CREATE INDEX multiparty_calls_by_account ON multiparty_calls (account, created_at, mpc_uuid);
CREATE INDEX multiparty_calls_by_name ON multiparty_calls (main_account, friendly_name, created_at);
CREATE INDEX multiparty_calls_by_end ON multiparty_calls (main_account, ended_at);

CREATE TABLE multiparty_participants (
  member_id BIGINT PRIMARY KEY,
  mpc_uuid TEXT NOT NULL,
  call_uuid TEXT NOT NULL,
  request_uuid TEXT NOT NULL,
  role TEXT NOT NULL,
  from_address TEXT NOT NULL,
  to_address TEXT NOT NULL,
  caller_name TEXT NOT NULL,
  phase TEXT NOT NULL,
  added_at BIGINT NOT NULL,
  joined_at BIGINT,
  exited_at BIGINT,
  exit_cause TEXT,
  coach_mode INTEGER NOT NULL,
  mute INTEGER NOT NULL,
  hold INTEGER NOT NULL,
  starts_on_enter INTEGER NOT NULL,
  ends_on_exit INTEGER NOT NULL,
  enter_sound TEXT NOT NULL,
  exit_sound TEXT NOT NULL,
  call_status_callback_url TEXT,
  call_status_callback_method TEXT
);
CREATE INDEX multiparty_participants_by_call ON multiparty_participants (mpc_uuid, member_id);

CREATE TABLE multiparty_member_ids (
  only_row INTEGER PRIMARY KEY,
  last_reserved BIGINT NOT NULL
);
INSERT INTO multiparty_member_ids (only_row, last_reserved) VALUES (1, 0);
`,
};
