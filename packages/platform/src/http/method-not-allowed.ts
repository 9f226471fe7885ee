import type { FastifyInstance } from 'fastify';
import { problem } from '../kernel/problem.ts';
import { sendProblem } from './answers.ts';

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A 405 with Allow at a known path. */
export function refuseOtherMethods(scope: FastifyInstance, url: string, known: readonly string[]): void {
  // Fastify answers HEAD by a GET route.
  const allowed = known.includes('GET') ? [...known, 'HEAD'] : known;
  const allow = [...allowed].sort().join(', ');
  scope.route({
    method: allMethods.filter((method) => !allowed.includes(method)),
    url,
    schema: { hide: true },
    // Before the body is read: no body makes this method right.
    onRequest: (request, reply) => {
      reply.header('allow', allow);
      sendProblem(
        reply,
        problem(
          'method-not-allowed',
          `${request.method} is not allowed at this path: use ${allow.replaceAll(', ', ' or ')}`,
        ),
      );
    },
    handler: () => undefined,
  });
}
