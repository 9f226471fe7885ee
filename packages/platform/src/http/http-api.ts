import { schemaKeywords } from '@jackfield/contract';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { problem, tooManyRequests } from '../kernel/problem.ts';
import type { Clock } from '../ports/clock.ts';
import type { Database } from '../ports/database.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Secrets } from '../ports/secrets.ts';
import { sendProblem } from './answers.ts';
import { type Authenticator, authenticateRequest } from './authentication.ts';
import { registerDocuments } from './documents.ts';
import { createIdempotency } from './idempotency.ts';
import { readJsonObject } from './json-body.ts';
import { registerOpenRoutes } from './open-route.ts';
import { measureRequests, registerOperations } from './operations.ts';
import { badUrl, isReadableUrl, problemOf, RefusedRequest, refuseConnection } from './refusals.ts';
import { registerRoutes } from './register-routes.ts';
import type { RouteGroup } from './route.ts';
import { SlidingWindow } from './sliding-window.ts';

export interface HttpLimits {
  /** Requests of one account (each subaccount has its own count) in any window. */
  readonly requests: number;
  readonly requestsWindowMs: number;
  /** Failed authentications from one address in any window, before the address is not listened to. */
  readonly failedAuthentications: number;
  readonly failedAuthenticationsWindowMs: number;
  /** Accounts and addresses whose counts are kept. */
  readonly countedKeys: number;
  readonly bodyBytes: number;
  /** A slow sender is cut off after this. */
  readonly requestMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  // conventions.md §13: 300 requests in 5 seconds for each account.
  requests: 300,
  requestsWindowMs: 5000,
  failedAuthentications: 20,
  failedAuthenticationsWindowMs: 60_000,
  countedKeys: 10_000,
  bodyBytes: 256 * 1024,
  requestMs: 30_000,
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
  /** Believe X-Forwarded-For: only behind a proxy that sets it. */
  readonly trustProxy?: boolean;
}

/** The HTTP interface without a socket: `listen` opens one, `inject` tests without. */
export function createHttpApi(deps: HttpApiDeps): FastifyInstance {
  const limits = { ...defaultHttpLimits, ...deps.limits };
  const { clock, log, secrets } = deps;
  const app: FastifyInstance = fastify({
    ...httpsOf(deps.certificate, limits.requestMs),
    genReqId: () => secrets.randomUuid(),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    trustProxy: deps.trustProxy ?? false,
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      // A list of member identifiers is one part of a path.
      maxParamLength: 2048,
    },
    ajv: {
      // Nothing is coerced, removed or filled in: what a client sent is what a feature reads.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false },
      plugins: [learnKeywords],
    },
    frameworkErrors: (error, request, reply) =>
      void sendProblem(reply, problemOf(error, request as FastifyRequest, log)),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, secrets.randomUuid()),
  });
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
  app.setErrorHandler((error: Error, request, reply) => sendProblem(reply, problemOf(error, request, log)));
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, problem('not-found', 'there is nothing at this path')),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    const body = readJsonObject(bytes as Buffer);
    if (body.ok) done(null, body.value);
    else done(new RefusedRequest(body.problem));
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (isReadableUrl(request.raw.url ?? '')) done();
    else sendProblem(reply, badUrl);
  });
  measureRequests(app, deps.metrics);
  registerDocuments(app, deps.features);
  registerOperations(app, deps);
  registerOpenRoutes(
    app,
    deps.features.flatMap(({ open = [] }) => open),
  );

  const requests = new SlidingWindow({
    limit: limits.requests,
    windowMs: limits.requestsWindowMs,
    maxKeys: limits.countedKeys,
  });
  const failures = new SlidingWindow({
    limit: limits.failedAuthentications,
    windowMs: limits.failedAuthenticationsWindowMs,
    maxKeys: limits.countedKeys,
  });
  const policy = `${limits.requests};w=${Math.ceil(limits.requestsWindowMs / 1000)}`;

  registerRoutes(app, deps.features, {
    clock,
    secrets,
    idempotency: createIdempotency(deps),
    async admit(request, reply) {
      const authenticated = await authenticateRequest(
        { accounts: deps.accounts, failures, clock },
        {
          authorization: request.headers.authorization,
          actingFor: (request.params as { auth_id: string }).auth_id,
          address: request.ip,
        },
      );
      if (!authenticated.ok) return sendProblem(reply, authenticated.problem);
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
        return sendProblem(
          reply,
          tooManyRequests(
            `this account has sent more than ${limits.requests} requests in ${limits.requestsWindowMs / 1000} s`,
            Math.max(1, resetSeconds),
          ),
        );
      }
      request.account = account;
      return undefined;
    },
  });
  return app;
}

/** RFC 8996: nothing older than TLS 1.2. Fastify's types make another kind of instance of it, which differs in nothing that we use. */
function httpsOf(certificate: HttpApiDeps['certificate'], handshakeMs: number): object {
  if (certificate === undefined) return {};
  return { https: { ...certificate, minVersion: 'TLSv1.2', handshakeTimeout: handshakeMs } };
}

/** The part of Ajv that is needed; its own types are not among our dependencies. */
interface KeywordTaker {
  addKeyword(definition: { keyword: string }): unknown;
}

function learnKeywords<Validator extends KeywordTaker>(validator: Validator): Validator {
  for (const keyword of schemaKeywords) validator.addKeyword(keyword);
  return validator;
}
