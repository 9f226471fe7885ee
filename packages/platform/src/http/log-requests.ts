import type { Logger } from '@jackfield/ports';
import type { FastifyInstance } from 'fastify';

/** A line for each answered request, which its `api_id` finds again; probes and scrapes are left out. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id, account, method, url, routeOptions } = request;
    if (routeOptions.config.isHealthCheck !== true) {
      const [path] = url.split('?', 1);
      const of = account ? { account: account.authId } : {};
      const durationMs = Math.round(reply.elapsedTime);
      log.debug(
        { api_id: id, ...of, method, path, status: reply.statusCode, durationMs },
        'request answered',
      );
    }
    done();
  });
}
