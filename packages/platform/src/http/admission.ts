import type { Clock, Metrics } from '@jackfield/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, tooManyRequests } from '../kernel/problem.ts';
import type { Result } from '../kernel/result.ts';
import { sendProblem } from './answers.ts';
import { type Authenticated, type Authenticator, authenticateRequest } from './authentication.ts';
import { authenticateSession, type SessionRequest } from './console/authenticate-session.ts';
import type { ConsoleAccess } from './console/console-access.ts';
import { isSentByScript } from './console/same-origin.ts';
import { readSessionCookie } from './console/session-cookie.ts';
import { type HttpLimits, windowOf } from './http-limits.ts';
import { SlidingWindow } from './sliding-window.ts';
import type { FailedGuesses, Strangers } from './source-limits.ts';

export interface AdmissionDeps {
  readonly accounts: Authenticator;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly limits: HttpLimits;
  readonly guesses: FailedGuesses;
  readonly strangers: Strangers;
  /** Sessions of the web console; without them the API has HTTP Basic alone. */
  readonly console?: ConsoleAccess;
}

/** Authenticates a request and counts it for its account; gives the reply where it has refused the request. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

export function createAdmission(deps: AdmissionDeps): Admit {
  const { strangers } = deps;
  const countRequest = createRequestCount(deps);
  return async (request, reply) => {
    const authenticated = await authenticate(deps, request);
    if (!authenticated.ok) {
      if (isSentByScript(request)) reply.header('www-authenticate', 'Cookie realm="jackfield"');
      return sendProblem(reply, strangers.refusalOf(request.ip) ?? authenticated.problem);
    }
    const { account, authenticatedAs, isStillAccepted, session = null } = authenticated.value;
    const refusal = countRequest(authenticatedAs, reply);
    if (refusal !== undefined) return sendProblem(reply, refusal);
    request.account = account;
    request.isStillAccepted = isStillAccepted;
    request.session = session;
    return undefined;
  };
}

/** By HTTP Basic, or without it by the cookie of the console. */
async function authenticate(
  { accounts, guesses, console }: AdmissionDeps,
  request: FastifyRequest,
): Promise<Result<Authenticated & Partial<SessionRequest>>> {
  const { authorization } = request.headers;
  const secret = authorization === undefined ? readSessionCookie(request) : undefined;
  if (console !== undefined && secret !== undefined) return authenticateSession(console, request, secret);
  const { auth_id: actingFor } = request.params as { auth_id: string };
  return authenticateRequest({ accounts, guesses }, { authorization, actingFor, address: request.ip });
}

/** Counts a request of an account and sets the headers that say how many are left. */
function createRequestCount({ clock, metrics, limits }: AdmissionDeps) {
  const { requests: limit, requestsWindowMs } = limits;
  const requests = new SlidingWindow(windowOf(limits, limit, requestsWindowMs));
  const policy = `${limit};w=${Math.ceil(requestsWindowMs / 1000)}`;

  return (account: string, reply: FastifyReply): Problem | undefined => {
    const state = requests.take(account, clock.now());
    const resetSeconds = Math.ceil(state.resetMs / 1000);
    reply.headers({
      'ratelimit-limit': limit,
      'ratelimit-remaining': state.remaining,
      'ratelimit-reset': resetSeconds,
      'ratelimit-policy': policy,
      'cache-control': 'no-store',
    });
    if (state.allowed) return undefined;
    metrics.count('jackfield_http_rate_limited_total', { by: 'account' });
    const waitSeconds = Math.max(1, resetSeconds);
    const sentence = `account ${account} has sent more than ${limit} requests in ${requestsWindowMs / 1000} s; try again in ${waitSeconds} s`;
    return tooManyRequests(sentence, waitSeconds);
  };
}
