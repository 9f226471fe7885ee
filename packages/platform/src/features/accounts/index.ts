export { ofActiveAccounts } from './access/active-endpoints.ts';
export type { AccountAuthenticator } from './access/authenticate.ts';
export { ownerNow, presentAccounts, requireOwner, viewOf } from './access/owner.ts';
export type { AccountCredentials, FirstAccount } from './commands.ts';
export { type AccountsFeature, createAccounts } from './create-accounts.ts';
export { createOwnedRows, type OwnedRow, type OwnedRows } from './owned-row-store.ts';
