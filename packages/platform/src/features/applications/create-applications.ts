import type { Database, Migration, Secrets } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import { type AnsweringApplications, createAnsweringApplications } from './answering/answering.ts';
import { type AttachedEndpoints, type CommandDeps, removeApplicationsOf } from './commands.ts';
import { applicationsTables } from './migrations/0001-applications.ts';
import { applicationRoutes } from './routes.ts';
import { searchApplications } from './search-queries.ts';
import { createApplicationStore } from './store.ts';

interface ApplicationsDeps {
  readonly database: Database;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  /** SIP domains that we serve; `sip_uri` is below the first. */
  readonly domains: readonly [string, ...string[]];
  readonly endpoints: AttachedEndpoints;
  /** Detaches the numbers of deleted applications; absent where there are no numbers. */
  readonly detachNumbers?: NonNullable<CommandDeps['detachNumbers']>;
  /** True when `account` is `owner` or a subaccount of it. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
}

interface ApplicationsFeature extends Feature {
  readonly routes: readonly RouteGroup[];
  readonly migrations: readonly Migration[];
  readonly answering: AnsweringApplications;
  /** What becomes of the applications of a subaccount that is deleted; for the accounts feature. */
  readonly resources: AccountResources;
}

/** Applications: the URLs that decide what happens to a call, and what they are attached to. */
export function createApplications(deps: ApplicationsDeps): ApplicationsFeature {
  const store = createApplicationStore(deps.database);
  return {
    name: 'applications',
    routes: [applicationRoutes({ ...deps, store, domain: deps.domains[0] })],
    migrations: [applicationsTables],
    search: searchApplications(store),
    answering: createAnsweringApplications(deps.database),
    resources: {
      remove: (write, account) => removeApplicationsOf({ ...deps, store }, write, account),
      passOn: store.passOn,
    },
  };
}
