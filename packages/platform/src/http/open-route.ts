import type { FastifyInstance } from 'fastify';
import type { Result } from '../kernel/result.ts';
import { sendProblem } from './answers.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import type { FailedGuesses, Strangers } from './source-limits.ts';

/** A request to a path that needs no account: its body unparsed, whatever its type. */
export interface OpenRequest {
  readonly params: Readonly<Record<string, string>>;
  /** The last value of a repeated name. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
  readonly contentType: string;
}

/** An operation for machines without an account: it decides itself which requests it accepts. */
export interface OpenRoute {
  readonly methods: readonly ('GET' | 'POST')[];
  /** From the root, e.g. `/.well-known/jwks.json`. */
  readonly path: string;
  /** The operation authenticates its senders: only requests that it refuses count by source. */
  readonly knowsSenders?: true;
  /** Answers 200 with an object as JSON, 204 without one. */
  run(request: OpenRequest): Result<object | undefined>;
}

/** Receipts and keys are small; a larger body is refused. */
const bodyLimit = 64 * 1024;

/** A refusal with the code `forbidden` counts as a failed authentication of its source. */
export function registerOpenRoutes(
  app: FastifyInstance,
  routes: readonly OpenRoute[],
  { guesses, strangers }: { readonly guesses: FailedGuesses; readonly strangers: Strangers },
): void {
  if (routes.length === 0) return;
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit }, (_request, body, done) =>
      done(null, body),
    );
    for (const route of routes) {
      scope.route({
        method: [...route.methods],
        url: route.path,
        schema: { hide: true },
        config: route.knowsSenders ? { countsItself: true } : {},
        onRequest(request, reply, done) {
          const refusal = guesses.refusalOf(request.ip);
          if (refusal === undefined) done();
          else sendProblem(reply, refusal);
        },
        handler(request, reply) {
          const { params, query, body, headers } = request;
          const answer = route.run({
            params: params as Record<string, string>,
            query: lastOfEach(query as Record<string, string | string[]>),
            body: typeof body === 'string' ? body : '',
            contentType: headers['content-type'] ?? '',
          });
          if (answer.ok) return reply.code(answer.value === undefined ? 204 : 200).send(answer.value);
          if (answer.problem.code === 'forbidden') guesses.note(request.ip);
          const refusal = route.knowsSenders ? strangers.refusalOf(request.ip) : undefined;
          return sendProblem(reply, refusal ?? answer.problem);
        },
      });
      refuseOtherMethods(scope, route.path, route.methods);
    }
  });
}

function lastOfEach(query: Readonly<Record<string, string | string[]>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (value.at(-1) ?? ''),
    ]),
  );
}
