import type { Migration } from '@jackfield/ports';

/**
 * `streams_by_call` and `streams_by_mpc` answer the lists, `streams_by_account` the removal of a subaccount, `streams_live` is for
 * restart. `settings` is JSON of settings that never change and that no query filters by. The rate is that of its beginning, in 1e-5 units.
 */
export const streamsTable: Migration = {
  name: 'streams/0001-streams',
  sql: `
CREATE TABLE streams (
  stream_id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  call_uuid TEXT NOT NULL,
  mpc_uuid TEXT,
  service_url TEXT NOT NULL,
  audio_track TEXT NOT NULL,
  bidirectional INTEGER NOT NULL,
  settings TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  outcome TEXT,
  end_reason TEXT,
  failure TEXT,
  statistics TEXT,
  rate_per_minute INTEGER NOT NULL,
  rate_initial_seconds INTEGER NOT NULL,
  rate_increment_seconds INTEGER NOT NULL
);
CREATE INDEX streams_by_call ON streams (call_uuid, created_at, stream_id);
CREATE INDEX streams_by_mpc ON streams (mpc_uuid, created_at, stream_id);
CREATE INDEX streams_by_account ON streams (account);
CREATE INDEX streams_live ON streams (stream_id) WHERE ended_at IS NULL;
`,
};
