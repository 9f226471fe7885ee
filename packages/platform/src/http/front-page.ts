import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from './method-not-allowed.ts';

/** `GET /` redirects to the reference; without a reference it answers with a short text. */
export function registerFrontPage(app: FastifyInstance, docs: boolean): void {
  void app.register(async (scope) => {
    scope.get('/', { schema: { hide: true } }, (_request, reply) => {
      if (docs) return reply.redirect('/docs/', 302);
      return reply.header('content-type', 'text/plain; charset=utf-8').send(page);
    });
    refuseOtherMethods(scope, '/', ['GET']);
  });
}

const page = `This is Jackfield, a communications platform. Its API is below /v1/Account/{auth_id}/.
The reference of the API is not served here: the operator opens it with JACKFIELD_DOCS=true, or has it at JACKFIELD_OPERATOR_PORT.
`;
