import { schemaKeywords } from '@jackfield/contract';
import {
  type Clock,
  type Database,
  isLoopback,
  type Logger,
  type Metrics,
  networksOf,
  quoted,
  type Secrets,
} from '@jackfield/ports';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { problem, tooManyRequests } from '../kernel/problem.ts';
import { sendProblem } from './answers.ts';
import { type Authenticator, authenticateRequest } from './authentication.ts';
import { type ConnectionLimits, limitConnections } from './connection-limits.ts';
import { createServer, type ServerLimits } from './create-server.ts';
import { registerDocuments } from './documents.ts';
import { registerFrontPage } from './front-page.ts';
import { createIdempotency } from './idempotency.ts';
import { readJsonObject } from './json-body.ts';
import { registerOpenRoutes } from './open-route.ts';
import { type MetricsAccess, measureRequests, registerOperations } from './operations.ts';
import {
  badUrl,
  isReadableUrl,
  longestPathPart,
  problemOf,
  RefusedRequest,
  refuseConnection,
} from './refusals.ts';
import { registerRoutes } from './register-routes.ts';
import type { RouteGroup } from './route.ts';
import { repeatedField, repeatedHeader } from './single-fields.ts';
import { SlidingWindow, type WindowLimits } from './sliding-window.ts';
import { createFailedGuesses, createStrangers } from './source-limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route counts its requests itself: by account, or only those that it refuses. Every other one counts by source. */
    readonly countsItself?: true;
    /** Not counted from this machine itself. */
    readonly isHealthCheck?: true;
  }
}

export interface HttpLimits extends ConnectionLimits, ServerLimits {
  /** Requests of one account (each subaccount has its own count) in any window. */
  readonly requests: number;
  readonly requestsWindowMs: number;
  /** Failed authentications from one address in any window, before the address is not listened to. */
  readonly failedAuthentications: number;
  readonly failedAuthenticationsWindowMs: number;
  /** Requests of one source that no account answers for, refusals among them, in any window. */
  readonly strangerRequests: number;
  readonly strangerRequestsWindowMs: number;
  /** Accounts and addresses whose counts are kept. */
  readonly countedKeys: number;
  readonly bodyBytes: number;
}

const defaultHttpLimits: HttpLimits = {
  // docs/interface/requests.md#request-rate: 300 requests in 5 seconds for each account.
  requests: 300,
  requestsWindowMs: 5000,
  failedAuthentications: 20,
  failedAuthenticationsWindowMs: 60_000,
  // 40 a second: health checks, a monitor and the pages of the documentation behind one address need a tenth of it.
  strangerRequests: 200,
  strangerRequestsWindowMs: 5000,
  countedKeys: 10_000,
  bodyBytes: 256 * 1024,
  requestMs: 30_000,
  headersMs: 10_000,
  stalledMs: 60_000,
  idleMs: 72_000,
  lookMs: 2_000,
  pipelinedRequests: 16,
  // More than SIP over WebSocket may have, in all and of one source: its sockets are among them.
  connections: 25_000,
  connectionsPerSource: 6_000,
};

export interface HttpApiDeps {
  readonly features: readonly RouteGroup[];
  readonly accounts: Authenticator;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  /** False while starting and draining: `/readyz` answers 503. */
  ready(): boolean;
  readonly limits?: Partial<HttpLimits>;
  /** PEM of a certificate chain and its key: the interface is HTTPS then. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Networks of proxies, whose X-Forwarded-For is believed, and of programs whom no limit of sources applies to. */
  readonly trustedSources?: readonly string[];
  /** Who may read `/metrics`; everybody when left out. */
  readonly metricsAccess?: MetricsAccess;
  /** Whether `/docs` and `/openapi.json` are served; they are when left out. */
  readonly docs?: boolean;
}

/** The HTTP interface without a socket: `listen` opens one, `inject` tests without. */
export function createHttpApi(deps: HttpApiDeps): FastifyInstance {
  const limits = { ...defaultHttpLimits, ...deps.limits };
  const { clock, log, secrets, metrics, trustedSources = [], metricsAccess = 'open', docs = true } = deps;
  const isTrusted = networksOf(trustedSources);
  const windowOf = (limit: number, windowMs: number): WindowLimits => ({
    limit,
    windowMs,
    maxKeys: limits.countedKeys,
  });
  const sources = { clock, metrics, isTrusted };
  const strangers = createStrangers(
    windowOf(limits.strangerRequests, limits.strangerRequestsWindowMs),
    sources,
  );
  const app: FastifyInstance = fastify({
    // Fastify's types make another kind of instance of HTTPS, which differs in nothing that we use.
    serverFactory: (handler) => createServer(handler, { limits, metrics, certificate: deps.certificate }),
    genReqId: () => secrets.randomUuid(),
    bodyLimit: limits.bodyBytes,
    trustProxy: isTrusted,
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: longestPathPart,
    },
    ajv: {
      // Nothing is coerced, removed or filled in: what a client sent is what a feature reads.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false },
      plugins: [learnKeywords],
    },
    // No hook runs before these.
    frameworkErrors: (error, request, reply) => {
      const refusal = strangers.refusalOf(request.ip) ?? problemOf(error, request as FastifyRequest, log);
      sendProblem(reply, refusal);
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, secrets.randomUuid()),
  });
  limitConnections(app.server, { limits, metrics, isTrusted });
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
  app.setErrorHandler((error: Error, request, reply) => sendProblem(reply, problemOf(error, request, log)));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, problem('not-found', `there is nothing at this path: ${quoted(request.url)}`)),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    const body = readJsonObject(bytes as Buffer);
    if (body.ok) done(null, body.value);
    else done(new RefusedRequest(body.problem));
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    const { countsItself, isHealthCheck } = request.routeOptions.config;
    const repeated = repeatedField(request.raw.rawHeaders);
    const isReadable = repeated === undefined && isReadableUrl(request.raw.url ?? '');
    const isCounted = !(countsItself && isReadable) && !(isHealthCheck && isLoopback(request.ip));
    const refusal = isCounted ? strangers.refusalOf(request.ip) : undefined;
    if (refusal !== undefined) sendProblem(reply, refusal);
    else if (repeated !== undefined) sendProblem(reply, repeatedHeader(repeated));
    else if (!isReadable) sendProblem(reply, badUrl);
    else done();
  });
  measureRequests(app, deps.metrics);
  if (docs) registerDocuments(app, deps.features);
  registerFrontPage(app, docs);
  const guessesOf = () =>
    createFailedGuesses(
      windowOf(limits.failedAuthentications, limits.failedAuthenticationsWindowMs),
      sources,
    );
  // Counted apart: a machine that has its own secret wrong keeps nobody from the API who shares its address.
  registerOperations(app, { ...deps, guesses: guessesOf(), metricsAccess });
  registerOpenRoutes(
    app,
    deps.features.flatMap(({ open = [] }) => open),
    { guesses: guessesOf(), strangers },
  );

  const requests = new SlidingWindow(windowOf(limits.requests, limits.requestsWindowMs));
  const guesses = guessesOf();
  const policy = `${limits.requests};w=${Math.ceil(limits.requestsWindowMs / 1000)}`;

  registerRoutes(app, deps.features, {
    clock,
    secrets,
    log,
    idempotency: createIdempotency(deps),
    async admit(request, reply) {
      const authenticated = await authenticateRequest(
        { accounts: deps.accounts, guesses },
        {
          authorization: request.headers.authorization,
          actingFor: (request.params as { auth_id: string }).auth_id,
          address: request.ip,
        },
      );
      if (!authenticated.ok) {
        return sendProblem(reply, strangers.refusalOf(request.ip) ?? authenticated.problem);
      }
      const { account, authenticatedAs } = authenticated.value;
      const state = requests.take(authenticatedAs, clock.now());
      const resetSeconds = Math.ceil(state.resetMs / 1000);
      reply.headers({
        'ratelimit-limit': limits.requests,
        'ratelimit-remaining': state.remaining,
        'ratelimit-reset': resetSeconds,
        'ratelimit-policy': policy,
        'cache-control': 'no-store',
      });
      if (!state.allowed) {
        metrics.count('jackfield_http_rate_limited_total', { by: 'account' });
        const waitSeconds = Math.max(1, resetSeconds);
        const sentence = `account ${authenticatedAs} has sent more than ${limits.requests} requests in ${limits.requestsWindowMs / 1000} s; try again in ${waitSeconds} s`;
        return sendProblem(reply, tooManyRequests(sentence, waitSeconds));
      }
      request.account = account;
      return undefined;
    },
  });
  return app;
}

/** The part of Ajv that is needed; its own types are not among our dependencies. */
interface KeywordTaker {
  addKeyword(definition: { keyword: string }): unknown;
}

function learnKeywords<Validator extends KeywordTaker>(validator: Validator): Validator {
  for (const keyword of schemaKeywords) validator.addKeyword(keyword);
  return validator;
}
