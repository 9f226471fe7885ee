import type { Authenticator, RouteGroup } from '../../http/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database, Migration } from '../../ports/database.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { createAuthenticator } from './authenticate.ts';
import { type AccountResources, ensureFirstAccount, type FirstAccount } from './commands.ts';
import { createKnownAccounts, type KnownAccounts } from './known-accounts.ts';
import { accountsTable } from './migrations/0001-accounts.ts';
import { accountRoutes } from './routes.ts';

export type { AccountCredentials, AccountResources, FirstAccount } from './commands.ts';

export interface AccountsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** What other features store for accounts. */
  readonly resources: readonly AccountResources[];
}

export interface AccountsFeature extends Authenticator, KnownAccounts {
  readonly routes: RouteGroup;
  readonly migrations: readonly Migration[];
  /** Gives the credentials of the first account, made once; `wanted` comes from the operator. */
  ensureFirstAccount(wanted?: {
    readonly authId?: string;
    readonly authToken?: string;
  }): Promise<FirstAccount>;
}

/** Main accounts, their subaccounts, and who may act for whom. */
export function createAccounts({ database, clock, secrets, resources }: AccountsDeps): AccountsFeature {
  const { authenticate, forget } = createAuthenticator(database, secrets);
  const deps = { database, secrets, resources, forget };
  return {
    authenticate,
    routes: accountRoutes(deps),
    migrations: [accountsTable],
    ensureFirstAccount: (wanted = {}) => ensureFirstAccount(deps, wanted, clock.now()),
    ...createKnownAccounts(database, secrets),
  };
}
