import type { Clock, Database, Metrics, Migration, Registrations, Secrets, Write } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { SingletonRoles } from '../../kernel/singleton-roles.ts';
import type { AttachableApplications } from './commands.ts';
import { sipEndpointsTables } from './migrations/0001-sip-endpoints.ts';
import { sipEndpointsByApplication } from './migrations/0002-by-application.ts';
import { sipBindingsFlows } from './migrations/0003-flows.ts';
import { sipBindingsPermissions } from './migrations/0004-permissions.ts';
import { sipInstances } from './migrations/0005-instances.ts';
import { sipBindingsSources } from './migrations/0006-sources.ts';
import { sipEndpointsByUsername } from './migrations/0007-by-username.ts';
import { createAttachedApplication } from './registrations/attached-application.ts';
import { createKnownBindings } from './registrations/known-bindings.ts';
import { createKnownCredentials } from './registrations/known-credentials.ts';
import { publishRegistrations } from './registrations/publish-registrations.ts';
import { createRegistrationWatch } from './registrations/registration-watch.ts';
import { createRegistrations } from './registrations/registrations.ts';
import { createUsernameOf } from './registrations/username-of.ts';
import { createUsernamesLike } from './registrations/usernames-like.ts';
import { endpointRoutes } from './routes.ts';
import { searchEndpoints } from './search-queries.ts';
import { createEndpointStore } from './store.ts';

interface SipEndpointsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** The server's SIP domains; the first is the realm of digest and the domain in `sip_uri`. */
  readonly domains: readonly [string, ...string[]];
  readonly applications: AttachableApplications;
  readonly metrics?: Pick<Metrics, 'gauge'>;
  /** For events of registrations that begin and end; without it there are none. */
  readonly outbox?: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** Of several processes one looks for expired bindings; this one when left out. */
  readonly roles?: Pick<SingletonRoles, 'take' | 'holds'>;
}

export interface SipEndpointsFeature extends Feature {
  readonly routes: readonly RouteGroup[];
  readonly migrations: readonly Migration[];
  readonly registrations: Registrations;
  /** Some usernames with this beginning, in their order. */
  usernamesLike(beginning: string): Promise<readonly string[]>;
  /** The username of an endpoint that the viewer sees. */
  usernameOf(viewer: RequestAccount, endpointId: string): Promise<string | undefined>;
  /** The application that an endpoint is attached to, if any. */
  applicationOf(endpointId: string): Promise<string | null>;
  /** For the applications feature, when an application is deleted. */
  readonly attached: {
    /** Deletes the endpoints that the account sees. */
    remove(write: Write, account: RequestAccount, applicationId: string): Promise<void>;
    /** All endpoints; `null` leaves them without an application. */
    reattach(write: Write, applicationIds: readonly string[], to: string | null): Promise<void>;
  };
  /** For the accounts feature, when a subaccount is deleted. */
  readonly resources: AccountResources;
  /** Removes the bindings of its connections. */
  endIncarnation(ended: Pick<EndedIncarnation, 'number' | 'token'>): Promise<void>;
  /** Cancels the timer of expiries. */
  release(): Promise<void>;
}

/** As the transports name the flows of their connections: `tcp-<incarnation>-<number>`; earlier releases wrote another word. */
const connectionProtocols = ['tcp', 'tls', 'ws'];

/** SIP users: operations of the API, and the port for registrar and authenticator. */
export function createSipEndpoints(deps: SipEndpointsDeps): SipEndpointsFeature {
  const credentials = createKnownCredentials(deps.database);
  const known = createKnownBindings(deps.database);
  const store = createEndpointStore(deps.database, (usernames, deleted) => {
    credentials.changed(usernames);
    if (deleted !== undefined) known.forget(deleted);
  });
  const { database, clock, outbox } = deps;
  const watch =
    outbox === undefined
      ? undefined
      : createRegistrationWatch({
          database,
          clock,
          outbox,
          known,
          ...(deps.roles && { roles: deps.roles }),
        });
  if (deps.metrics !== undefined) publishRegistrations({ database, clock, metrics: deps.metrics });
  const registrations = createRegistrations({
    database,
    clock,
    known,
    watch,
    credentialOf: credentials.credentialOf,
  });
  return {
    name: 'sip-endpoints',
    routes: [endpointRoutes({ ...deps, store, realm: deps.domains[0] })],
    migrations: [
      sipEndpointsTables,
      sipEndpointsByApplication,
      sipBindingsFlows,
      sipBindingsPermissions,
      sipInstances,
      sipBindingsSources,
      sipEndpointsByUsername,
    ],
    search: searchEndpoints(deps.database),
    registrations,
    // Connections do not outlive their process; their phones have to register again.
    async endIncarnation({ number, token }) {
      for (const protocol of connectionProtocols) {
        await registrations.dropFlowsFrom(number === 0 ? `${protocol}-` : `${protocol}-${token}-`);
      }
    },
    usernamesLike: createUsernamesLike(deps.database),
    usernameOf: createUsernameOf(deps.database),
    applicationOf: createAttachedApplication(deps.database),
    attached: { remove: store.removeAttached, reattach: store.reattach },
    resources: { remove: store.removeAll, passOn: store.passOn },
    release: async () => watch?.close(),
  };
}
