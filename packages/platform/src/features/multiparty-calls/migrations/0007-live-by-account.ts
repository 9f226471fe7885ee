import type { Migration } from '@jackfield/ports';

/** Live calls of a main account and of a subaccount page by page, and their present participants without those that left. */
export const liveByAccount: Migration = {
  name: 'multiparty-calls/0007-live-by-account',
  sql: `
CREATE INDEX multiparty_calls_live_of_main ON multiparty_calls (main_account, mpc_uuid) WHERE ended_at IS NULL;
CREATE INDEX multiparty_calls_live_of_account ON multiparty_calls (account, mpc_uuid) WHERE ended_at IS NULL;
CREATE INDEX multiparty_participants_live ON multiparty_participants (mpc_uuid, member_id) WHERE exited_at IS NULL;
`,
};
