import type { Migration } from '@jackfield/ports';

/**
 * The removal of a subaccount finds its streams here. SQLite used the former index of all streams for a subaccount's streams
 * of one call; it cannot use this partial index for that.
 */
export const streamsOfSubaccounts: Migration = {
  name: 'streams/0002-streams-of-subaccounts',
  contracts: 'an index',
  sql: `
DROP INDEX streams_by_account;
CREATE INDEX streams_of_subaccounts ON streams (account) WHERE account <> main_account;
`,
};
