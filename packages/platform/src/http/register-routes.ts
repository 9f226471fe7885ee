import type { Clock, Logger, Secrets } from '@jackfield/ports';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalidParameter } from '../kernel/problem.ts';
import type { Admit } from './admission.ts';
import { sendAnswer, sendProblem } from './answers.ts';
import type { RequestAccount } from './api-request.ts';
import { type AdmittedRequest, apiRequestOf, carryOut } from './carry-out.ts';
import type { ConsoleSession } from './console/console-access.ts';
import { leastRoleOf } from './console/roles.ts';
import { descriptionOf, documented } from './documents.ts';
import type { Forwarding } from './forwarding.ts';
import { homeOf, type ResourceHome } from './homes.ts';
import type { Idempotency } from './idempotency.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import { registerFiles } from './register-files.ts';
import { requestSchemaOf } from './request-schema.ts';
import { type ApiRoute, accountPath, type RouteGroup } from './route.ts';
import { openStream, type StreamOutput } from './streamed-answer.ts';
import { type UnknownParameters, unknownParameters } from './unknown-parameters.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `admit` before any feature runs. */
    account: RequestAccount | null;
    /** Set with `account` where the cookie of the console authenticated the request. */
    session: ConsoleSession | null;
    /** Set with `account`: see `Authenticated`. */
    isStillAccepted: (() => Promise<boolean>) | null;
    /** Of members of the body that the operation does not know. */
    warnings: readonly string[] | null;
  }
}

export interface RouteDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly idempotency: Idempotency;
  readonly admit: Admit;
  readonly homes?: readonly ResourceHome[];
  /** To other nodes; left out where no other process uses the database. */
  readonly forwarding?: Forwarding;
}

const noWarnings: readonly string[] = [];

/** Every operation of every feature, and a 405 at each of their paths for the other methods. */
export function registerRoutes(app: FastifyInstance, features: readonly RouteGroup[], deps: RouteDeps): void {
  app.decorateRequest('account', null);
  app.decorateRequest('session', null);
  app.decorateRequest('isStillAccepted', null);
  app.decorateRequest('warnings', null);
  // Requests of other nodes may come before Fastify has registered the routes.
  for (const route of features.flatMap(({ routes }) => routes))
    if (homeOf(deps.homes ?? [], route) !== undefined) deps.forwarding?.accept(route);
  void app.register(async (scope) => {
    const methods = new Map<string, string[]>();
    for (const group of features) {
      for (const route of group.routes) {
        const url = `${accountPath}${route.path}`;
        methods.set(url, [...(methods.get(url) ?? []), route.method]);
        const home = homeOf(deps.homes ?? [], route);
        scope.route({
          method: route.method,
          url,
          schema: requestSchemaOf(route.schema),
          config: {
            countsItself: true,
            least: leastRoleOf(route),
            ...documented(() => descriptionOf(route, group)),
          },
          onRequest: deps.admit,
          preValidation: (request, reply, done) => {
            tidyParts(request, route);
            const { refusal, warnings } = unknownIn(request, route);
            request.warnings = warnings;
            if (refusal === undefined) done();
            else sendProblem(reply, refusal);
          },
          handler: async (request, reply) => perform(route, home, request, reply, deps),
        });
      }
    }
    const requestOf = (request: FastifyRequest) => apiRequestOf(admittedOf(request), deps.clock);
    for (const group of features) {
      const files = {
        admit: deps.admit,
        log: deps.log,
        requestOf,
      };
      for (const url of registerFiles(scope, accountPath, group, files)) methods.set(url, ['GET']);
    }
    for (const [url, known] of methods) refuseOtherMethods(scope, url, known);
  });
}

/**
 * Clients send bodies with DELETE and leave them out with POST. Of a GET only known parameters stay: the links of a list repeat
 * its query.
 */
function tidyParts(request: FastifyRequest, { method, schema }: ApiRoute): void {
  if (method === 'POST') {
    request.body ??= {};
  } else if (method === 'DELETE') {
    request.query = { ...(request.query as object), ...(request.body as object | undefined) };
  } else {
    const known = schema.query?.properties ?? {};
    const given = Object.entries(request.query as object);
    request.query = Object.fromEntries(given.filter(([name]) => Object.hasOwn(known, name)));
  }
}

/** Runs before validation, so that a misspelt name is reported as such, not as the absence of the right name. */
function unknownIn(request: FastifyRequest, { method, schema }: ApiRoute): UnknownParameters {
  const { body } = request;
  const reads = method === 'POST' && schema.body !== undefined && typeof body === 'object' && body !== null;
  return reads ? unknownParameters(body, schema.body) : { warnings: noWarnings };
}

async function perform(
  route: ApiRoute,
  home: ResourceHome | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RouteDeps,
): Promise<FastifyReply> {
  const requestOf = () => apiRequestOf(admittedOf(request), deps.clock);
  const { stream } = route;
  if (stream !== undefined && request.headers.accept?.includes(stream.contentType)) {
    const lastEventId = request.headers['last-event-id'];
    const opened = await stream.open(requestOf(), lastEventId?.toString());
    if (!opened.ok) return sendProblem(reply, opened.problem);
    const output = openStream(reply, stream.contentType);
    endWithCredentials(request.isStillAccepted!, output, deps.clock);
    opened.value(output);
    // RFC 9110 §9.3.2: an answer to HEAD ends with its header.
    if (request.method === 'HEAD') output.end();
    return reply;
  }
  if (route.download?.isRequested(request.query) === true) {
    const file = await route.download.run(requestOf());
    if (!file.ok) return sendProblem(reply, file.problem);
    reply.header('content-disposition', `attachment; filename="${file.value.fileName}"`);
    return reply.header('content-type', route.download.contentType).send(file.value.bytes);
  }
  const key = route.method === 'POST' ? request.headers['idempotency-key'] : undefined;
  // draft-ietf-httpapi-idempotency-key-header leaves the form to the server; Node joins repeated headers with a comma.
  if (key !== undefined && (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))) {
    return sendProblem(
      reply,
      invalidParameter('Idempotency-Key', key, '1 to 255 visible ASCII characters without spaces'),
    );
  }
  const admitted = { ...admittedOf(request), ...(key === undefined ? {} : { idempotencyKey: key }) };
  const forwarded = home === undefined ? undefined : await deps.forwarding?.forward(home, route, admitted);
  const { answer, replayed } = forwarded ?? (await carryOut(route, admitted, deps));
  if (replayed) reply.header('idempotency-replayed', 'true');
  return sendAnswer(reply, answer);
}

/** How often the credentials of an open stream are looked up. */
const credentialsLookMs = 10_000;

/** An endless answer ends when its session has ended, or its account has been disabled or deleted. */
function endWithCredentials(
  isStillAccepted: () => Promise<boolean>,
  output: StreamOutput,
  clock: Clock,
): void {
  const look = () => {
    isStillAccepted().then(
      (is) => (is ? lookLater() : output.end(': these credentials are no longer accepted\n\n')),
      () => lookLater(),
    );
  };
  let isClosed = false;
  let cancel = () => {};
  function lookLater(): void {
    if (!isClosed) cancel = clock.startTimer(clock.now() + credentialsLookMs, look);
  }
  output.onClose(() => {
    isClosed = true;
    cancel();
  });
  lookLater();
}

function admittedOf(request: FastifyRequest): AdmittedRequest {
  const { query, body, session } = request;
  return {
    account: request.account!,
    params: request.params as Record<string, string>,
    ...{ query, body, apiId: request.id, warnings: request.warnings ?? noWarnings },
    ...(session === null ? {} : { session }),
  };
}
