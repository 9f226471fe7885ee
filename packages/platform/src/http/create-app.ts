import { schemaKeywords } from '@jackfield/contract';
import { isLoopback, type Logger, type Metrics, quoted, type Secrets } from '@jackfield/ports';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { problem } from '../kernel/problem.ts';
import { sendProblem } from './answers.ts';
import { createServer } from './create-server.ts';
import type { HttpLimits } from './http-limits.ts';
import { readJsonObject } from './json-body.ts';
import {
  badUrl,
  isReadableUrl,
  longestPathPart,
  problemOf,
  RefusedRequest,
  refuseConnection,
} from './refusals.ts';
import { sharedValidators } from './shared-validators.ts';
import { repeatedField, repeatedHeader } from './single-fields.ts';
import type { Strangers } from './source-limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route counts its requests itself: by account, or only those that it refuses. Other routes count by source. */
    readonly countsItself?: true;
    /** Not counted from this machine itself. */
    readonly isHealthCheck?: true;
  }
}

export interface AppDeps {
  readonly limits: HttpLimits;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly secrets: Pick<Secrets, 'randomUuid'>;
  readonly strangers: Strangers;
  /** Whether X-Forwarded-For of this address names the client. */
  readonly isForwarder: (address: string) => boolean;
  /** PEM of a certificate chain and its key: the interface is HTTPS then. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** Fastify without a route: its server, what it reads, what it refuses before a route, and the form of its refusals. */
export function createApp(deps: AppDeps): FastifyInstance {
  const app = openFastify(deps);
  answerErrors(app, deps);
  readBodies(app);
  refuseEarly(app, deps);
  return app;
}

function openFastify({
  limits,
  log,
  metrics,
  secrets,
  strangers,
  isForwarder,
  certificate,
}: AppDeps): FastifyInstance {
  return fastify({
    // Fastify's types make another kind of instance of HTTPS, which differs in nothing that we use.
    serverFactory: (handler) => createServer(handler, { limits, metrics, certificate }),
    genReqId: () => secrets.randomUuid(),
    bodyLimit: limits.bodyBytes,
    trustProxy: isForwarder,
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: longestPathPart,
    },
    schemaController: {
      compilersFactory: {
        buildValidator: sharedValidators,
        buildSerializer: () => () => (body) => JSON.stringify(body),
      },
    },
    ajv: {
      // Nothing is coerced, removed or filled in: features read what the client sent.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false },
      plugins: [addKeywords],
    },
    // No hook runs before these.
    frameworkErrors: (error, request, reply) => {
      const refusal = strangers.refusalOf(request.ip) ?? problemOf(error, request as FastifyRequest, log);
      sendProblem(reply, refusal);
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, secrets.randomUuid()),
  });
}

function answerErrors(app: FastifyInstance, { log }: AppDeps): void {
  app.setErrorHandler((error: Error, request, reply) => sendProblem(reply, problemOf(error, request, log)));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, problem('not-found', `there is nothing at this path: ${quoted(request.url)}`)),
  );
}

function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    const body = readJsonObject(bytes as Buffer);
    if (body.ok) done(null, body.value);
    else done(new RefusedRequest(body.problem));
  });
}

/** Refuses malformed requests before any route, and counts requests without an account by their source. */
function refuseEarly(app: FastifyInstance, { strangers }: AppDeps): void {
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
}

/** The part of Ajv that is needed; its own types are not among our dependencies. */
interface Keywords {
  addKeyword(definition: { keyword: string }): unknown;
}

function addKeywords<Validator extends Keywords>(validator: Validator): Validator {
  for (const keyword of schemaKeywords) validator.addKeyword(keyword);
  return validator;
}
