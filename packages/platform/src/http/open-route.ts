import type { FastifyInstance } from 'fastify';
import { sendProblem } from './answers.ts';
import type { FailedGuesses } from './failed-guesses.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import type { Strangers } from './strangers.ts';

/** A request to a path that needs no account: its body as it came, whatever it claims to be. */
export interface OpenRequest {
  readonly params: Readonly<Record<string, string>>;
  /** Of names that are there more than once, the last. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
  readonly contentType: string;
}

export interface OpenAnswer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: object;
}

/** An operation for machines that are no customers: who may ask is the operation's own matter. */
export interface OpenRoute {
  readonly methods: readonly ('GET' | 'POST')[];
  /** From the root, e.g. `/.well-known/jwks.json`. */
  readonly path: string;
  /** Only those that it refuses count as requests of strangers: whom it accepts it knows. */
  readonly knowsSenders?: true;
  run(request: OpenRequest): OpenAnswer;
}

/** Receipts and keys are small; more is not read. */
const bodyLimit = 64 * 1024;

/** An answer of 403 is a failed guess of whoever asked. */
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
          if (answer.status === 403) guesses.note(request.ip);
          const isCounted = route.knowsSenders && answer.status >= 400;
          const refusal = isCounted ? strangers.refusalOf(request.ip) : undefined;
          if (refusal !== undefined) return sendProblem(reply, refusal);
          return reply.code(answer.status).send(answer.body);
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
