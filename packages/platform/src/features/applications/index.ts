import type { Database, Migration, Secrets, Write } from '@jackfield/ports';
import type { RouteGroup } from '../../http/index.ts';
import { type AnsweringApplications, createAnsweringApplications } from './answering.ts';
import { type AttachedEndpoints, removeApplicationsOf } from './commands.ts';
import { applicationsTables } from './migrations/0001-applications.ts';
import { applicationRoutes } from './routes.ts';
import { createApplicationStore } from './store.ts';

export type { AnsweringApplication, AnsweringApplications } from './answering.ts';
export { attachableApplications } from './attachable.ts';

export interface ApplicationsDeps {
  readonly database: Database;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  /** SIP domains that we serve; `sip_uri` is below the first. */
  readonly domains: readonly [string, ...string[]];
  readonly endpoints: AttachedEndpoints;
  /** True when `account` is `owner` or a subaccount of it. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
}

export interface ApplicationsFeature {
  readonly routes: RouteGroup;
  readonly migrations: readonly Migration[];
  readonly answering: AnsweringApplications;
  /** What becomes of the applications of a subaccount that is deleted; for the accounts feature. */
  readonly resources: {
    remove(write: Write, account: string): Promise<void>;
    passOn(write: Write, account: string, main: string): Promise<void>;
  };
}

/** Applications: the URLs that say what happens to a call, and what they are attached to. */
export function createApplications(deps: ApplicationsDeps): ApplicationsFeature {
  const store = createApplicationStore(deps.database);
  return {
    routes: applicationRoutes({ ...deps, store, domain: deps.domains[0] }),
    migrations: [applicationsTables],
    answering: createAnsweringApplications(deps.database),
    resources: {
      remove: (write, account) => removeApplicationsOf({ ...deps, store }, write, account),
      passOn: store.passOn,
    },
  };
}
