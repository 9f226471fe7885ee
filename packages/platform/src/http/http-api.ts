import {
  type Clock,
  type Database,
  type Logger,
  type Metrics,
  networksOf,
  type Secrets,
} from '@jackfield/ports';
import type { FastifyInstance } from 'fastify';
import type { ClockSkew } from '../kernel/clock-skew.ts';
import { createAdmission } from './admission.ts';
import type { Authenticator } from './authentication.ts';
import { type CarryOutDeps, carryOut } from './carry-out.ts';
import { limitConnections } from './connection-limits.ts';
import type { ConsoleAccess } from './console/console-access.ts';
import { type ConsolePages, registerConsole } from './console/console-pages.ts';
import { registerConsoleLogin } from './console/register-console-login.ts';
import { registerIdentityLogin } from './console/register-identity-login.ts';
import { createApp } from './create-app.ts';
import { describeOperations, registerDocuments } from './documents.ts';
import { type ClusterNode, createForwarding } from './forwarding.ts';
import { registerFrontPage } from './front-page.ts';
import { type GuidePages, registerGuide } from './guide.ts';
import type { ResourceHome } from './homes.ts';
import { defaultHttpLimits, type HttpLimits, windowOf } from './http-limits.ts';
import { Idempotency } from './idempotency.ts';
import { logRequests } from './log-requests.ts';
import { registerOpenRoutes } from './open-route.ts';
import { type MetricsAccess, measureRequests, registerOperations } from './operations.ts';
import { createOperatorApp } from './operator-app.ts';
import { type RouteDeps, registerRoutes } from './register-routes.ts';
import type { RouteGroup } from './route.ts';
import { createFailedGuesses, createStrangers } from './source-limits.ts';

export interface HttpApiDeps {
  readonly features: readonly RouteGroup[];
  readonly accounts: Authenticator;
  /** Sessions of the web console; without them there is no login. */
  readonly console?: ConsoleAccess;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  /** Where things live that requests change; without `clusterNode` all of them live here. */
  readonly homes?: readonly ResourceHome[];
  /** Carries requests to other nodes; left out where no other process uses the database. */
  readonly clusterNode?: ClusterNode;
  /** Left out where the database has the clock of this machine. */
  readonly clockSkew?: Pick<ClockSkew, 'ms'>;
  /** False while starting and draining: `/readyz` answers 503. */
  ready(): boolean;
  readonly limits?: Partial<HttpLimits>;
  /** PEM of a certificate chain and its key: the interface is HTTPS then. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Networks of programs without limits by source; their X-Forwarded-For is believed as well. */
  readonly trustedSources?: readonly string[];
  /** Networks of proxies: X-Forwarded-For names the client, and limits by source hold for it. */
  readonly proxies?: readonly string[];
  /** Access to `/metrics`; open when left out. */
  readonly metricsAccess?: MetricsAccess;
  /** Whether `/docs` and `/openapi.json` are served; they are when left out. */
  readonly docs?: boolean;
  /** The documentation at `/docs/guide/`, under the same condition; not served when left out. */
  readonly guidePages?: GuidePages;
  /** The web console at `/console/`; not served when left out. */
  readonly consolePages?: ConsolePages;
  /** Whether operations and documents have a listener apart, and are not on the public one. */
  readonly hasOperatorListener?: boolean;
}

/** The interfaces without a socket: `listen` opens one, `inject` tests without. */
export interface HttpApi {
  readonly http: FastifyInstance;
  /** With `hasOperatorListener`: `/healthz`, `/readyz`, `/metrics`, `/docs` and `/openapi.json`. */
  readonly operator?: FastifyInstance;
}

export function createHttpApi(deps: HttpApiDeps): HttpApi {
  const limits = { ...defaultHttpLimits, ...deps.limits };
  const { clock, metrics, features, metricsAccess = 'open', docs = true } = deps;
  const isTrusted = networksOf(deps.trustedSources ?? []);
  const isForwarder = networksOf([...(deps.trustedSources ?? []), ...(deps.proxies ?? [])]);
  const sources = { clock, metrics, isTrusted };
  const { strangerRequests, strangerRequestsWindowMs } = limits;
  const strangers = createStrangers(windowOf(limits, strangerRequests, strangerRequestsWindowMs), sources);
  const { failedAuthentications, failedAuthenticationsWindowMs } = limits;
  // Counted apart for each kind of secret: a machine with a wrong secret does not lock the API for clients that share its address.
  const guessesOf = () =>
    createFailedGuesses(windowOf(limits, failedAuthentications, failedAuthenticationsWindowMs), sources);

  const app = createApp({ ...deps, limits, strangers, isForwarder });
  const openConnections = limitConnections(app.server, { limits, metrics, isTrusted: isForwarder });
  metrics.gauge('jackfield_http_connections', 'Open connections of the HTTP port.', openConnections);
  logRequests(app, deps.log);
  measureRequests(app, metrics);
  const describe = docs ? describeOperations(app, features) : undefined;
  const operations = (scope: FastifyInstance): void => {
    if (describe !== undefined) registerDocuments(scope, describe);
    if (docs && deps.guidePages !== undefined) registerGuide(scope, deps.guidePages);
    registerFrontPage(scope, docs);
    registerOperations(scope, { ...deps, guesses: guessesOf(), metricsAccess });
  };
  const operator = deps.hasOperatorListener
    ? createOperatorApp({ ...deps, limits, strangers, isForwarder }, operations)
    : undefined;
  if (operator === undefined) operations(app);
  else registerFrontPage(app, false);
  if (deps.consolePages !== undefined) {
    registerConsole(app, { pages: deps.consolePages, newNonce: () => deps.secrets.randomUuid() });
  }
  const open = features.flatMap((feature) => feature.open ?? []);
  registerOpenRoutes(app, open, { guesses: guessesOf(), strangers });
  const guesses = guessesOf();
  if (deps.console !== undefined) {
    registerConsoleLogin(app, { access: deps.console, guesses });
    registerIdentityLogin(app, { identity: deps.console.identity, guesses });
  }
  const carrying = { ...deps, idempotency: new Idempotency(deps) };
  registerRoutes(app, features, {
    ...carrying,
    admit: createAdmission({ ...deps, limits, guesses, strangers }),
    ...forwardingOf(deps, carrying),
  });
  return { http: app, ...(operator === undefined ? {} : { operator }) };
}

function forwardingOf(
  { clusterNode: node, log, metrics }: HttpApiDeps,
  carrying: CarryOutDeps,
): Pick<RouteDeps, 'forwarding'> {
  if (node === undefined) return {};
  return {
    forwarding: createForwarding({
      node,
      log,
      metrics,
      carryOut: (route, request) => carryOut(route, request, carrying),
    }),
  };
}
