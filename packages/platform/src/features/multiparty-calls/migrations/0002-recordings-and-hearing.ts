import type { Migration } from '@jackfield/ports';

/**
 * The recording status of a call, and whether the event of its end waits for its recordings. `multiparty_hearing` has one row for
 * each time during which one participant could hear another; the first index answers its list, the second finds open rows.
 */
export const recordingsAndHearing: Migration = {
  name: 'multiparty-calls/0002-recordings-and-hearing',
  sql: `
ALTER TABLE multiparty_calls ADD COLUMN recording TEXT NOT NULL DEFAULT 'not-recording';
ALTER TABLE multiparty_calls ADD COLUMN is_end_owed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX multiparty_calls_owed ON multiparty_calls (mpc_uuid) WHERE is_end_owed = 1;

CREATE TABLE multiparty_hearing (
  mpc_uuid TEXT NOT NULL,
  listener BIGINT NOT NULL,
  speaker BIGINT NOT NULL,
  is_coach INTEGER NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT
);
CREATE INDEX multiparty_hearing_by_call ON multiparty_hearing (mpc_uuid, from_at, listener, speaker);
CREATE INDEX multiparty_hearing_open ON multiparty_hearing (mpc_uuid) WHERE to_at IS NULL;
`,
};
