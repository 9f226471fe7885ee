import type { Migration } from '@jackfield/ports';

const ofMultipartyCalls =
  'CREATE INDEX streams_of_mpcs_ended ON streams (ended_at) WHERE ended_at IS NOT NULL AND mpc_uuid IS NOT NULL;';

/**
 * Of all accounts, for the removal of old streams: those of calls and those of multiparty calls are kept for different times. SQLite
 * prefers `streams_by_mpc` to an index that does not begin with `mpc_uuid`; PostgreSQL would sort all rows that such an index finds.
 */
export const streamsByEnd: Migration = {
  name: 'streams/0005-streams-by-end',
  sql: `
CREATE INDEX streams_of_calls_ended ON streams (mpc_uuid, ended_at) WHERE ended_at IS NOT NULL AND mpc_uuid IS NULL;
${ofMultipartyCalls}
`,
  postgres: `
CREATE INDEX streams_of_calls_ended ON streams (ended_at) WHERE ended_at IS NOT NULL AND mpc_uuid IS NULL;
${ofMultipartyCalls}
`,
};
