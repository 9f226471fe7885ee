import type { FastifyInstance } from 'fastify';
import { type AccountResources, createAccounts, type FirstAccount } from './features/accounts/index.ts';
import { attachableApplications, createApplications } from './features/applications/index.ts';
import { createCallbacks } from './features/callbacks/index.ts';
import { createCalls } from './features/calls/index.ts';
import { createMultipartyCalls } from './features/multiparty-calls/index.ts';
import { createSipEndpoints } from './features/sip-endpoints/index.ts';
import { createHttpApi, type HttpLimits, idempotencyTable } from './http/index.ts';
import { createSessionRunner } from './kernel/create-session-runner.ts';
import { createOutbox, outboxMigrations } from './kernel/outbox.ts';
import type { SessionRunner } from './kernel/session-runner.ts';
import type { Clock } from './ports/clock.ts';
import type { Database } from './ports/database.ts';
import type { Egress } from './ports/egress.ts';
import type { Logger } from './ports/logger.ts';
import type { Media } from './ports/media.ts';
import type { Metrics } from './ports/metrics.ts';
import type { NumberRoutes } from './ports/number-routes.ts';
import type { Registrations } from './ports/registrations.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Telephony } from './ports/telephony.ts';

export interface PlatformDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  readonly media: Media;
  readonly numbers: NumberRoutes;
  /** The way to URLs that customers supply. */
  readonly egress: Egress;
  /** SIP domains that we serve, lower case; the first is the realm. */
  readonly domains: readonly [string, ...string[]];
  /** Signalling, which authenticates by what the endpoints feature knows. It is opened when everything else stands. */
  readonly createTelephony: (registrations: Registrations) => Telephony;
  readonly firstAccount?: { readonly authId: string; readonly authToken: string };
  readonly httpLimits?: Partial<HttpLimits>;
}

export interface Platform {
  readonly account: FirstAccount;
  readonly runner: SessionRunner;
  /** The HTTP interface; whoever starts the platform listens. */
  readonly http: FastifyInstance;
  /** From now on `/readyz` answers 503. */
  drain(): void;
  /** Waits for what is being written, then stops; the database stays open for whoever opened it. */
  close(): Promise<void>;
}

/** Receivers that answer slowly hold their places: one host at most `perHost` of them, a silent one a single one. */
const outboxLimits = { concurrency: 256 };

/** The whole product over its ports: the same for the embedded server, a cluster node and the simulated world. */
export async function createPlatform(deps: PlatformDeps): Promise<Platform> {
  const { database, clock, secrets, log, metrics } = deps;
  const newUuid = () => secrets.randomUuid();
  let isReady = false;
  let isDraining = false;

  const endpoints = createSipEndpoints({
    ...deps,
    applications: attachableApplications(database),
  });
  // Whatever stores something for accounts says what becomes of it when a subaccount goes.
  const resources: AccountResources[] = [endpoints.resources];
  const accounts = createAccounts({ ...deps, resources });
  const applications = createApplications({
    ...deps,
    endpoints: endpoints.attached,
    isWithin: accounts.isWithin,
  });
  const outbox = createOutbox({
    database,
    clock,
    log,
    newEventId: newUuid,
    limits: outboxLimits,
    // An embedded database is opened by one process at a time.
    isAlone: database.dialect === 'sqlite',
  });
  const callbacks = createCallbacks({ ...deps, outbox, authTokenOf: accounts.authTokenOf });
  const runner = createSessionRunner({
    database,
    clock,
    log,
    appendEvents: outbox.appendEvents,
    eventsCommitted: outbox.wake,
  });

  const telephony = deps.createTelephony(endpoints.registrations);
  const calls = createCalls({
    ...deps,
    runner,
    telephony,
    registrations: endpoints.registrations,
    newUuid,
    isWithin: accounts.isWithin,
  });
  const multipartyCalls = createMultipartyCalls({
    ...deps,
    runner,
    calls,
    newUuid,
    isDraining: () => isDraining,
  });

  resources.push(applications.resources, calls.resources, multipartyCalls.resources, callbacks.resources);

  await database.migrate([
    idempotencyTable,
    ...outboxMigrations,
    ...accounts.migrations,
    ...endpoints.migrations,
    ...applications.migrations,
    ...calls.migrations,
    ...multipartyCalls.migrations,
    ...callbacks.migrations,
  ]);
  const account = await accounts.ensureFirstAccount(deps.firstAccount);
  // What the last process left behind has ended with it; then the doors open.
  await multipartyCalls.restore();
  await calls.restore(clock.now());
  outbox.start(callbacks.deliver);
  callbacks.start();
  await telephony.open();

  const http = createHttpApi({
    features: [
      accounts.routes,
      applications.routes,
      endpoints.routes,
      multipartyCalls.routes,
      callbacks.routes,
    ],
    accounts,
    database,
    clock,
    log,
    metrics,
    secrets,
    ready: () => isReady,
    ...(deps.httpLimits === undefined ? {} : { limits: deps.httpLimits }),
  });
  isReady = true;

  return {
    account,
    runner,
    http,
    drain() {
      isReady = false;
      isDraining = true;
    },
    async close() {
      isReady = false;
      await http.close();
      await runner.idle();
      await runner.close();
      await callbacks.close(outbox.close());
    },
  };
}
