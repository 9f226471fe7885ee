import type { Clock, Database, Secrets } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { ConsoleAccess } from '../../http/index.ts';
import type { AccountAuthenticator } from '../accounts/index.ts';
import { createIdentityLogin, type IdentityLoginDeps } from './access/identity-login.ts';
import {
  type ConsoleSessionLimits,
  consoleSessionLimits,
  createSessionAccess,
} from './access/session-access.ts';
import { consoleSessionsTables } from './migrations/0001-console-sessions.ts';
import { consoleSessionRoutes } from './routes.ts';
import { createConsoleSessionStore } from './store.ts';

export interface ConsoleSessionsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accounts: Pick<AccountAuthenticator, 'authenticate' | 'actAs' | 'tokenMarkOf'>;
  /** Logins with tokens and links alone when absent. */
  readonly identity?: Omit<IdentityLoginDeps, 'secrets' | 'open'>;
  readonly limits?: Partial<ConsoleSessionLimits>;
}

export interface ConsoleSessionsFeature extends Feature {
  /** For the HTTP interface. */
  readonly access: ConsoleAccess;
  /** A token that logs in once as owner of the account, while the process that shows it may run. */
  createFirstLink(account: string): Promise<string>;
}

/** The link that the start shows may be opened the same day. */
const firstLinkMs = 12 * 60 * 60_000;

/** Sessions of people in the web console: a cookie beside HTTP Basic. */
export function createConsoleSessions(deps: ConsoleSessionsDeps): ConsoleSessionsFeature {
  const limits = { ...consoleSessionLimits, ...deps.limits };
  const store = createConsoleSessionStore(deps.database);
  const access = createSessionAccess({ ...deps, store, limits });
  const identity =
    deps.identity === undefined
      ? {}
      : { identity: createIdentityLogin({ ...deps.identity, secrets: deps.secrets, open: access.open }) };
  return {
    name: 'console-sessions',
    migrations: [consoleSessionsTables],
    routes: [consoleSessionRoutes({ access, store, linkMs: limits.linkMs })],
    // A session never passes on: it would get the rights of the main account.
    resources: {
      remove: store.removeOf,
      passOn: (write, account) => store.removeOf(write, account),
      endLogins: store.removeOf,
    },
    retained: { name: 'console sessions', keepMs: 0, removeEnded: store.removeExpired },
    access: { ...access, ...identity },
    createFirstLink: (account) => access.createLink(account, 'owner', deps.clock.wallNow() + firstLinkMs),
  };
}
