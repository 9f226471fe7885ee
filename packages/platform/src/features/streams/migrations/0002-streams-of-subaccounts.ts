import type { Migration } from '@jackfield/ports';

/**
 * The removal of a subaccount finds its streams here. As an index of all streams it was what SQLite walked along for a subaccount's
 * streams of one call; this one cannot be taken for that.
 */
export const streamsOfSubaccounts: Migration = {
  name: 'streams/0002-streams-of-subaccounts',
  sql: `
DROP INDEX streams_by_account;
CREATE INDEX streams_of_subaccounts ON streams (account) WHERE account <> main_account;
`,
};
