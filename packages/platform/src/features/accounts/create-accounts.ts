import type { Clock, Database, Logger, Migration, Secrets } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { ClusterNodes } from '../../kernel/cluster-nodes.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import { type AccountAuthenticator, createAuthenticator } from './access/authenticate.ts';
import { createKnownAccounts, type KnownAccounts } from './access/known-accounts.ts';
import { ensureFirstAccount, type FirstAccount } from './commands.ts';
import { accountsTable } from './migrations/0001-accounts.ts';
import { createRemovedSubaccounts } from './removal/removed-subaccounts.ts';
import { accountRoutes } from './routes.ts';

interface AccountsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** Absent where one process owns the database. */
  readonly nodes?: Pick<ClusterNodes, 'peers'>;
  /** Resources of other features. */
  readonly resources: readonly AccountResources[];
  /** Receives an event when a subaccount is disabled or enabled; absent where there is no event stream. */
  readonly outbox?: Pick<Outbox, 'appendEvents' | 'wake'>;
}

export interface AccountsFeature
  extends Feature,
    Pick<
      AccountAuthenticator,
      'authenticate' | 'actAs' | 'tokenMarkOf' | 'isActive' | 'isDisabled' | 'ifActive'
    >,
    KnownAccounts {
  readonly routes: readonly RouteGroup[];
  readonly migrations: readonly Migration[];
  /** Gives the credentials of the first account, made once; `configured` comes from the operator. */
  ensureFirstAccount(configured?: {
    readonly authId?: string;
    readonly authToken?: string;
  }): Promise<FirstAccount>;
}

/** Main accounts, their subaccounts, and their permissions. */
export function createAccounts(given: AccountsDeps): AccountsFeature {
  const { database, clock, secrets } = given;
  const { forget, ...access } = createAuthenticator(database, secrets);
  const removals = createRemovedSubaccounts(given);
  const deps = { ...given, forget, removed: removals.removed };
  return {
    name: 'accounts',
    open: removals.open,
    close: removals.close,
    ...access,
    routes: [accountRoutes(deps)],
    migrations: [accountsTable],
    ensureFirstAccount: (configured = {}) => ensureFirstAccount(deps, configured, clock.wallNow()),
    ...createKnownAccounts(database, secrets),
  };
}
