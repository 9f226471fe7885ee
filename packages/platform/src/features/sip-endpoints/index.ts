import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database, Migration, Write } from '../../ports/database.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { sipEndpointsTables } from './migrations/0001-sip-endpoints.ts';
import { createRegistrations } from './registrations.ts';
import { endpointRoutes } from './routes.ts';
import { createEndpointStore } from './store.ts';

export interface SipEndpointsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** SIP domains that we serve; the first is the realm of digest and the domain in `sip_uri`. */
  readonly domains: readonly [string, ...string[]];
  /** Whether the account may attach this application to its endpoints. */
  readonly applicationExists: (account: RequestAccount, applicationId: string) => Promise<boolean>;
}

export interface SipEndpointsFeature {
  readonly routes: RouteGroup;
  readonly migrations: readonly Migration[];
  readonly registrations: Registrations;
  /** What becomes of the endpoints of a subaccount that is deleted; for the accounts feature. */
  readonly resources: {
    remove(write: Write, account: string): Promise<void>;
    passOn(write: Write, account: string, main: string): Promise<void>;
  };
}

/** SIP users: what the API says of them, and what the registrar and the authenticator need of them. */
export function createSipEndpoints(deps: SipEndpointsDeps): SipEndpointsFeature {
  const store = createEndpointStore(deps.database);
  return {
    routes: endpointRoutes({ ...deps, store, realm: deps.domains[0] }),
    migrations: [sipEndpointsTables],
    registrations: createRegistrations(deps),
    resources: { remove: store.removeAll, passOn: store.passOn },
  };
}
