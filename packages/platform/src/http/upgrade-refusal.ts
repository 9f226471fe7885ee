import { type Problem, problem, statusOf, tooManyRequests, unavailableAs } from '../kernel/problem.ts';
import { errorText } from './answers.ts';

/** Why a WebSocket of the HTTP port is refused. */
export interface RefusedUpgrade {
  readonly reason:
    | 'no-such-path'
    | 'wrong-subprotocol'
    | 'wrong-origin'
    | 'bad-handshake'
    | 'too-many-sockets'
    | 'too-many-of-source'
    | 'closed';
  readonly sentence: string;
}

/** Seconds after which a client may try again to open a WebSocket that found no slot. */
const retryAfterSeconds = 10;

/** The answer to a refused upgrade: status, headers and a body of the form of every error of the API. */
export function upgradeAnswer(
  refused: RefusedUpgrade,
  apiId: string,
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const refusal = problemOf(refused);
  return {
    status: statusOf(refusal),
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(refusal.retryAfterSeconds === undefined
        ? {}
        : { 'Retry-After': String(refusal.retryAfterSeconds) }),
    },
    body: errorText(refusal, apiId),
  };
}

function problemOf({ reason, sentence }: RefusedUpgrade): Problem {
  switch (reason) {
    case 'no-such-path':
      return problem('not-found', sentence);
    case 'wrong-subprotocol':
      return problem('invalid-parameter', sentence);
    case 'wrong-origin':
      return problem('forbidden', sentence);
    case 'bad-handshake':
      return problem('malformed-request', sentence);
    case 'too-many-of-source':
      return tooManyRequests(sentence, retryAfterSeconds);
    case 'too-many-sockets':
    case 'closed':
      return unavailableAs(sentence, retryAfterSeconds);
  }
}
