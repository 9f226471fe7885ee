import type { Migration } from '@jackfield/ports';

/** The end of a large call closes the edges listener by listener: an index on the call alone read all open edges each time. */
export const openHearingByListener: Migration = {
  name: 'multiparty-calls/0004-open-hearing-by-listener',
  contracts: 'an index',
  sql: `
DROP INDEX multiparty_hearing_open;
CREATE INDEX multiparty_hearing_open ON multiparty_hearing (mpc_uuid, listener) WHERE to_at IS NULL;
`,
};
