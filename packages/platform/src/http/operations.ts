import type { Clock, Database, Metrics, Secrets } from '@jackfield/ports';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ClockSkew, clockProblem } from '../kernel/clock-skew.ts';
import { createDatabaseProbe } from '../kernel/database-probe.ts';
import { type Problem, problem, statusOf } from '../kernel/problem.ts';
import { sendProblem } from './answers.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import { accountPath } from './route.ts';
import type { FailedGuesses } from './source-limits.ts';

/** Access to `/metrics`: open, off, or with this token as a Bearer token. */
export type MetricsAccess = 'open' | 'off' | { readonly token: string };

interface OperationsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly secrets: Pick<Secrets, 'equals'>;
  readonly guesses: FailedGuesses;
  readonly metricsAccess: MetricsAccess;
  /** Left out where the database has the clock of this machine. */
  readonly clockSkew?: Pick<ClockSkew, 'ms'>;
  ready(): boolean;
}

/** Health, readiness and metrics, for operators and their machines. Nothing here needs an account. */
export function registerOperations(app: FastifyInstance, deps: OperationsDeps): void {
  const { metricsAccess } = deps;
  const databaseAnswers = createDatabaseProbe(deps);

  async function unreadyProblem(): Promise<Problem | undefined> {
    if (!deps.ready()) return problem('draining', 'the platform is starting or draining');
    if (!(await databaseAnswers())) return problem('unavailable', 'the database cannot be reached');
    const wrongClock = deps.clockSkew && clockProblem(deps.clockSkew);
    return wrongClock === undefined ? undefined : problem('unavailable', wrongClock);
  }

  function refuseScrape(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    if (metricsAccess === 'open') return undefined;
    if (metricsAccess === 'off') {
      const sentence = 'metrics are not served: the operator opens them with JACKFIELD_METRICS_TOKEN';
      return sendProblem(reply, problem('not-found', sentence));
    }
    const refusal = deps.guesses.refusalOf(request.ip);
    if (refusal !== undefined) return sendProblem(reply, refusal);
    const given = /^bearer +(\S{1,1024})$/i.exec(request.headers.authorization?.trim() ?? '')?.[1];
    if (given !== undefined && deps.secrets.equals(given, metricsAccess.token)) return undefined;
    if (given !== undefined) deps.guesses.note(request.ip);
    reply.header('www-authenticate', 'Bearer realm="jackfield"');
    const sentence = 'authentication failed: send Authorization: Bearer with the JACKFIELD_METRICS_TOKEN';
    return sendProblem(reply, problem('unauthenticated', sentence));
  }

  let scrape: Promise<string> | undefined;
  /** Scrapes at the same time share one. */
  function scraped(): Promise<string> {
    scrape ??= deps.metrics.text().finally(() => {
      scrape = undefined;
    });
    return scrape;
  }

  void app.register(async (scope) => {
    const health = { schema: { hide: true }, config: { isHealthCheck: true } } as const;
    scope.get('/healthz', health, () => ({ status: 'ok' }));
    scope.get('/readyz', health, async (_request, reply) => {
      const unready = await unreadyProblem();
      if (unready === undefined) return { status: 'ready' };
      const { sentence: reason, code: error_code } = unready;
      return reply.code(statusOf(unready)).send({ status: 'not accepting work', reason, error_code });
    });
    scope.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
      const refused = refuseScrape(request, reply);
      if (refused !== undefined) return refused;
      reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8');
      return scraped();
    });
    for (const path of ['/healthz', '/readyz', '/metrics']) refuseOtherMethods(scope, path, ['GET']);
  });
}

/** Paths are counted by their pattern, so that identifiers do not become labels; a stranger chooses no label either. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const operation = operationOf(request, reply.statusCode) ?? { method: 'other', path: 'unknown' };
    metrics.count('jackfield_http_requests_total', { ...operation, status: String(reply.statusCode) });
    metrics.observe('jackfield_http_request_seconds', reply.elapsedTime / 1000);
    done();
  });
}

/** Undefined for a request that was refused before its account was known. */
function operationOf({ is404, method, routeOptions, account }: FastifyRequest, status: number) {
  const path = is404 || status === 405 ? undefined : routeOptions.url;
  const isStranger = status >= 400 && status < 500 && account === null && path?.startsWith(accountPath);
  return path === undefined || isStranger ? undefined : { method, path };
}
