import type {
  CallRoutes,
  Clock,
  Database,
  Logger,
  Migration,
  Secrets,
  Trunks,
  Write,
} from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import { createRareEvents } from '../../kernel/rare-events.ts';
import { createTrunkAccess } from './access/access.ts';
import { reportFailedTargets, reportRefusedCalls } from './call-events.ts';
import { type DeletionDeps, passOnAllOf, removeAllOf } from './deletion-commands.ts';
import { createInboundTrunks, type InboundTrunks } from './legs/inbound.ts';
import { createTrunkRoutes } from './legs/trunk-routes.ts';
import { trunksTables } from './migrations/0001-trunks.ts';
import { credentialSecrets } from './migrations/0002-credential-secrets.ts';
import { trunkingRoutes } from './routes.ts';
import { createTrunkStore } from './store.ts';

interface TrunksDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  /** SIP domains that we serve; the first is the realm of digest, and trunks have their domains below it. */
  readonly domains: readonly [string, ...string[]];
  /** Detaches the numbers of deleted trunks, and gives them; absent where there are no numbers. */
  readonly detachNumbers?: NonNullable<DeletionDeps['detachNumbers']>;
  /** Receives the events; absent where there is no event stream. */
  readonly outbox?: Pick<Outbox, 'appendEvents' | 'wake'>;
}

interface TrunksFeature extends Feature {
  readonly routes: readonly RouteGroup[];
  readonly migrations: readonly Migration[];
  /** For signalling: access to trunks. */
  readonly trunks: Trunks;
  /** For the numbers feature: the targets of inbound trunks. */
  readonly inbound: Pick<InboundTrunks, 'trunkOf'> & {
    /** Whether the account sees an inbound trunk of this identifier; locks it until the end of the transaction. */
    exists(write: Write, account: RequestAccount, trunkId: string): Promise<boolean>;
  };
  /** For signalling: at which origination URIs a call to an inbound trunk is tried. */
  readonly callRoutes: CallRoutes;
  /** What becomes of trunks and their parts when a subaccount is deleted; for the accounts feature. */
  readonly resources: AccountResources;
}

/** Trunks, and their credentials, address lists and origination URIs. */
export function createTrunks(given: TrunksDeps): TrunksFeature {
  const deps = { ...given, store: createTrunkStore(given.database), realm: given.domains[0] };
  const { database, clock, log, outbox } = given;
  const inbound = createInboundTrunks(database, given.secrets);
  const reportRarely = outbox === undefined ? () => {} : createRareEvents({ database, clock, log, outbox });
  return {
    name: 'trunks',
    routes: [trunkingRoutes(deps)],
    migrations: [trunksTables, credentialSecrets],
    trunks: {
      accessOf: createTrunkAccess(database, clock, given.secrets, given.domains[0]),
      loginOf: inbound.loginOf,
      refused: reportRefusedCalls(reportRarely),
    },
    inbound: {
      trunkOf: inbound.trunkOf,
      async exists(write, account, trunkId) {
        const trunk = await deps.store.trunks.read(write, account, trunkId);
        return trunk?.trunk_direction === 'inbound';
      },
    },
    callRoutes: createTrunkRoutes(reportFailedTargets(reportRarely)),
    resources: {
      remove: (write, account) => removeAllOf(deps, write, account),
      passOn: (write, account) => passOnAllOf(deps, write, account),
    },
  };
}
