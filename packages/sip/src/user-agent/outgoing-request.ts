import type { HeaderPairs } from '../dialog/answers.ts';
import type { Content } from '../dialog/session-state.ts';
import { type Attempt, triesNext } from '../locate/failover.ts';
import { createRequest } from '../message/create-request.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import type { ChallengeAnswer } from './challenge-answer.ts';
import { contactOf, type LegDeps, startTransaction } from './leg.ts';
import { firstHop, type Route } from './send-target.ts';

/** A request outside every dialog other than INVITE. `from` and `to` are header values without tag. */
export interface RequestOptions {
  readonly method: string;
  /** Request-URI, which also gives the target when there is no live flow and no route. */
  readonly uri: string;
  readonly flow?: string;
  readonly from: string;
  readonly to: string;
  /** Route values to start with, such as an outbound proxy. */
  readonly routes?: readonly string[];
  readonly headers?: HeaderPairs;
  readonly content?: Content;
  /** From an earlier request, so that REGISTERs of one phone share a Call-ID and count up (RFC 3261 §10.2). */
  readonly callId?: string;
  readonly cseq?: number;
  /** Whether the request carries our Contact. */
  readonly contact?: boolean;
}

/** The outcome of a request. */
export type RequestOutcome =
  | { readonly type: 'response'; readonly response: SipResponse; readonly cseq: number }
  | { readonly type: 'failed'; readonly failure: 'timeout' | 'transport-failed' };

/** Sends a request, answers challenges if it can, and reports the outcome once, after this call returns. */
export function sendRequest(
  deps: LegDeps,
  options: RequestOptions,
  authorize: ChallengeAnswer | undefined,
  settled: (outcome: RequestOutcome) => void,
): void {
  const callId = options.callId ?? deps.token();
  const localTag = deps.token();

  function attempt(cseq: number): void {
    const request = build(cseq, []);
    deps.routes.all(options.flow, firstHop(request), (routes) =>
      send(deps.orderedRoutes(routes, request, deps.now()), cseq, [], 0, request),
    );
  }

  function send(
    routes: readonly Route[],
    cseq: number,
    credentials: HeaderPairs,
    answered: number,
    request = build(cseq, credentials),
  ): void {
    const [route, ...rest] = routes;
    if (!route) {
      deps.defer(() => settled({ type: 'failed', failure: 'transport-failed' }));
      return;
    }
    let hasResponded = false;
    const next = (attempt: Attempt): boolean => {
      if (rest.length === 0 || !triesNext(attempt) || (hasResponded && attempt.type === 'failed'))
        return false;
      // RFC 3263 §4.3: a new transaction with the next target, for the same request.
      send(rest, cseq, credentials, answered);
      return true;
    };
    if (options.contact) request.headers.set('Contact', contactOf(deps, route, request.uri));
    startTransaction(deps, request, route, {
      response(response) {
        hasResponded = true;
        if (response.status < 200 || next({ type: 'response', status: response.status })) return;
        const answer = authorize?.(response, { ...request, answered });
        // The same target again: it knows its nonce.
        if (answer) send(routes, cseq + 1, answer, answered + 1);
        else deps.safely(() => settled({ type: 'response', response, cseq }));
      },
      failed(failure) {
        deps.noteSilent(route, deps.now());
        if (!next({ type: 'failed', failure })) deps.safely(() => settled({ type: 'failed', failure }));
      },
      terminated: () => {},
    });
  }

  function build(cseq: number, credentials: HeaderPairs): SipRequest {
    return createRequest({
      method: options.method,
      uri: options.uri,
      from: `${options.from};tag=${localTag}`,
      to: options.to,
      callId,
      cseq,
      ...(options.routes && { routes: options.routes }),
      headers: [...(options.headers ?? []), ...credentials],
      ...options.content,
    });
  }

  attempt(options.cseq ?? 1);
}
