import { authorize, type DigestCredentials } from '../auth/digest-client.ts';
import type { Hash } from '../auth/digest-response.ts';
import type { HeaderPairs } from '../dialog/answers.ts';
import { isChallenge } from '../message/is-challenge.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';

/** Credentials for a challenge as header fields to add to the request; undefined without an answer. */
export type ChallengeAnswer = (challenge: SipResponse, request: SipRequest) => HeaderPairs | undefined;

/** Answers the challenges of a call or request with these credentials; undefined without credentials or hash. */
export function challengeAnswer(
  { hash, token }: { readonly hash?: Hash; token(): string },
  credentials: DigestCredentials | undefined,
): ChallengeAnswer | undefined {
  if (!credentials || !hash) return undefined;
  return (response, { method, uri, body }) => {
    if (!isChallenge(response.status)) return undefined;
    const isProxy = response.status === 407;
    const challenges = response.headers.all(isProxy ? 'Proxy-Authenticate' : 'WWW-Authenticate');
    const use = { hash, cnonce: token(), nc: 1 };
    const values = authorize({ method, uri, body }, challenges, credentials, use);
    const name = isProxy ? 'Proxy-Authorization' : 'Authorization';
    return values.length === 0 ? undefined : values.map((value) => [name, value] as const);
  };
}
