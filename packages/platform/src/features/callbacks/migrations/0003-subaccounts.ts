import type { Migration } from '@jackfield/ports';

/** A main account's own deliveries are found by `main_account`; the index of owners is for subaccounts alone. */
export const callbacksOfSubaccounts: Migration = {
  name: 'callbacks/0003-subaccounts',
  contracts: 'an index',
  sql: `
DROP INDEX callbacks_by_account;
CREATE INDEX callbacks_of_subaccount ON callbacks (account, created_at) WHERE account <> main_account;
`,
};
