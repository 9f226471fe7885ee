import type { Clock, Metrics } from '@jackfield/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, tooManyRequests } from '../kernel/problem.ts';
import { sendProblem } from './answers.ts';
import { type Authenticator, authenticateRequest } from './authentication.ts';
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
}

/** Authenticates a request and counts it for its account; gives the reply where it has refused the request. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

export function createAdmission(deps: AdmissionDeps): Admit {
  const { accounts, guesses, strangers } = deps;
  const countRequest = createRequestCount(deps);
  return async (request, reply) => {
    const authenticated = await authenticateRequest(
      { accounts, guesses },
      {
        authorization: request.headers.authorization,
        actingFor: (request.params as { auth_id: string }).auth_id,
        address: request.ip,
      },
    );
    if (!authenticated.ok) {
      return sendProblem(reply, strangers.refusalOf(request.ip) ?? authenticated.problem);
    }
    const { account, authenticatedAs } = authenticated.value;
    const refusal = countRequest(authenticatedAs, reply);
    if (refusal !== undefined) return sendProblem(reply, refusal);
    request.account = account;
    return undefined;
  };
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
