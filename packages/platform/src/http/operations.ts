import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../ports/metrics.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';

/** What operators and their machines ask: alive, accepting work, measurements. Nothing here needs an account. */
export function registerOperations(
  app: FastifyInstance,
  deps: { readonly metrics: Metrics; ready(): boolean },
): void {
  void app.register(async (scope) => {
    scope.get('/healthz', { schema: { hide: true } }, () => ({ status: 'ok' }));
    scope.get('/readyz', { schema: { hide: true } }, (_request, reply) => {
      const ready = deps.ready();
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not accepting work' });
    });
    scope.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
      reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8');
      return deps.metrics.text();
    });
    for (const path of ['/healthz', '/readyz', '/metrics']) refuseOtherMethods(scope, path, ['GET']);
  });
}

/** Paths are counted by their pattern, so that identifiers do not become labels. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    metrics.count('jackfield_http_requests_total', {
      method: request.method,
      path,
      status: String(reply.statusCode),
    });
    metrics.observe('jackfield_http_request_seconds', reply.elapsedTime / 1000);
    done();
  });
}
