import type { OperatedCarrier } from '@jackfield/contract/console';
import {
  type CallRoutes,
  type CarrierRequests,
  type Clock,
  type Database,
  type Instant,
  type Logger,
  type Metrics,
  type Migration,
  type NumberRoutes,
  prefixRoutes,
  routesFor,
  type Secrets,
} from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import { randomChance } from '../../kernel/chance.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import type { SingletonRoles } from '../../kernel/singleton-roles.ts';
import type { Usage } from '../usage/index.ts';
import { operatedCarrierOf } from './carrier-views.ts';
import { type CarrierBooks, createCarrierBooks } from './carrying/carrier-books.ts';
import { type CarrierLinks, createCarrierLinks } from './carrying/carrier-links.ts';
import { createCarrierReports } from './carrying/carrier-reports.ts';
import { createCarrierRoutes, targetOfNumber } from './carrying/carrier-routes.ts';
import { createIncoming, type IncomingCarrierCalls } from './carrying/incoming.ts';
import type { Carrier } from './domain/carrier.ts';
import { isPostponed } from './domain/carrier-link.ts';
import { createGrantStore } from './granting/grant-store.ts';
import { createGrantedBooks } from './granting/granted-books.ts';
import { carrierCallsTable } from './migrations/0001-carriers.ts';
import { carrierCallIncarnation } from './migrations/0002-incarnation.ts';
import { carrierGrantsTables } from './migrations/0003-grants.ts';
import { createCarrierStore } from './store.ts';

export interface CarriersDeps {
  readonly carriers: readonly Carrier[];
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  readonly usage: Usage;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  readonly roles: Pick<SingletonRoles, 'take'>;
  readonly runner?: Pick<SessionRunner, 'incarnation'>;
}

/** The operator's carriers into the public network. */
export interface CarriersFeature extends Feature {
  readonly migrations: readonly Migration[];
  /** Numbers that `first` does not serve are reached through carriers. */
  numbers(first: NumberRoutes): NumberRoutes;
  /** For signalling: the carriers at which a number is tried. */
  readonly callRoutes: CallRoutes;
  /** Calls that carriers hand over. */
  readonly incoming: IncomingCarrierCalls;
  /** For the operator, in the order of the configuration. */
  states(): readonly OperatedCarrier[];
  /** Settles the reservations of its calls. */
  endIncarnation(ended: Pick<EndedIncarnation, 'number'>): Promise<void>;
  /** Reads the spend of the last hour; called before the first call. */
  restore(): Promise<void>;
  /** Begins to register and to probe, when signalling is open; the account receives the events. */
  open(account: string, requests: CarrierRequests | undefined): void;
  close(): Promise<void>;
}

export function createCarriers(deps: CarriersDeps): CarriersFeature {
  const { carriers, clock, log, metrics, secrets } = deps;
  const table = prefixRoutes(carriers);
  const books = booksOf(deps);
  let account: string | undefined;
  const reports = createCarrierReports({ ...deps, account: () => account });
  const incoming = createIncoming(() => account);
  let links: CarrierLinks | undefined;

  const chance = () => randomChance(secrets);

  const byCarrier = (name: string, sentence: string, value: (carrier: string) => number) =>
    metrics.gauge(name, sentence, {
      label: 'carrier',
      values: () => carriers.map((carrier) => [carrier.name, value(carrier.name)] as const),
    });
  byCarrier('jackfield_carrier_calls', 'Calls through a carrier.', (name) => books.liveCalls(name));
  byCarrier('jackfield_carrier_registered', '1 while we are registered with a carrier.', (name) =>
    Number(links?.of(name)?.registration === 'registered'),
  );
  byCarrier('jackfield_carrier_reachable', '1 while a carrier takes part in routing.', (name) =>
    Number(links?.of(name)?.reach !== 'unreachable'),
  );

  return {
    name: 'carriers',
    migrations: [carrierCallsTable, carrierCallIncarnation, carrierGrantsTables],
    numbers: (first) => ({
      targetsFor(number) {
        const targets = first.targetsFor(number);
        if (targets !== undefined) return targets;
        // Signalling finds out at the dial whether one of them accepts the call.
        return routesFor(table, number, () => 0).length === 0 ? undefined : [targetOfNumber(number)];
      },
    }),
    callRoutes: createCarrierRoutes({
      log,
      books,
      carriersOf: (number) =>
        postponedLast(
          routesFor(table, number, chance).map(({ taker }) => taker),
          links,
          clock.now(),
        ),
      isReachable: (carrier) => links?.of(carrier)?.reach !== 'unreachable',
      passedOver(leg, tried) {
        const labels = { carrier: tried.carrier, reason: tried.because };
        metrics.count('jackfield_carrier_calls_passed_over_total', labels);
        reports.passedOver(leg, tried);
      },
      refused: (carrier, retryAfterSeconds) => links?.refused(carrier, retryAfterSeconds),
    }),
    incoming,
    states: () =>
      carriers.map((carrier) =>
        operatedCarrierOf(carrier, links?.of(carrier.name), books.liveCalls(carrier.name)),
      ),
    endIncarnation: ({ number }) => books.settleOrphans(number),
    restore: () => books.restore(),
    open(operator, requests) {
      account = operator;
      if (requests === undefined) return;
      links = createCarrierLinks({
        ...{ clock, carriers, requests, chance, happened: reports.happened },
        roles: deps.roles,
      });
      links.open();
    },
    async close() {
      await links?.close();
      await books.close();
    },
    // Calls that ended meanwhile are reported as well.
    release: () => books.close(),
  };
}

function postponedLast(
  carriers: readonly Carrier[],
  links: CarrierLinks | undefined,
  now: Instant,
): readonly Carrier[] {
  const isLast = ({ name }: Carrier) => {
    const link = links?.of(name);
    return link !== undefined && isPostponed(link, now);
  };
  return [...carriers.filter((each) => !isLast(each)), ...carriers.filter(isLast)];
}

/** A process that shares the database spends only what the database has granted to it. */
function booksOf(deps: CarriersDeps): CarrierBooks {
  const { database, runner: { incarnation = 0 } = {} } = deps;
  return database.isShared
    ? createGrantedBooks({ ...deps, store: createGrantStore(database, incarnation) })
    : createCarrierBooks({ ...deps, store: createCarrierStore(database, incarnation) });
}
