import type { Migration } from '@jackfield/ports';

/** At the end of a large call the edges of each listener are closed by themselves: by the call alone, all open ones were read each time. */
export const openHearingByListener: Migration = {
  name: 'multiparty-calls/0004-open-hearing-by-listener',
  sql: `
DROP INDEX multiparty_hearing_open;
CREATE INDEX multiparty_hearing_open ON multiparty_hearing (mpc_uuid, listener) WHERE to_at IS NULL;
`,
};
