import { parseChallenge } from '../auth/challenge.ts';
import { authorize, type DigestCredentials } from '../auth/digest-client.ts';
import { parseDigestFields } from '../auth/digest-fields.ts';
import type { Hash } from '../auth/digest-response.ts';
import type { HeaderPairs } from '../dialog/answers.ts';
import { isChallenge } from '../message/is-challenge.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';

/** Enough for two proxies and a server, or for a nonce that went stale beside two realms; a peer may challenge without end. */
const mostAnswers = 3;

/**
 * All credentials of the request that follows a challenge to `request`, as header fields in place of those that it has; undefined when the
 * challenge is final.
 */
export type ChallengeAnswer = (challenge: SipResponse, request: SipRequest) => HeaderPairs | undefined;

/** Answers the challenges of a call or request with these credentials; undefined without credentials or hash. */
export function challengeAnswer(
  { hash, token }: { readonly hash?: Hash; token(): string },
  credentials: DigestCredentials | undefined,
): ChallengeAnswer | undefined {
  if (!credentials || !hash) return undefined;
  return (response, request) => {
    if (!isChallenge(response.status) || (request.answered ?? 0) >= mostAnswers) return undefined;
    const isProxy = response.status === 407;
    const name = isProxy ? 'Proxy-Authorization' : 'Authorization';
    const refused = request.headers.all(name);
    const challenges = response.headers
      .all(isProxy ? 'Proxy-Authenticate' : 'WWW-Authenticate')
      .filter((value) => isNew(value, refused));
    const values = authorize(request, challenges, credentials, { hash, cnonce: token(), nc: 1 });
    if (values.length === 0) return undefined;
    const renewed = new Set(values.map(realmOf));
    const pairs: (readonly [string, string])[] = [];
    for (const each of ['Authorization', 'Proxy-Authorization']) {
      for (const value of request.headers.all(each)) {
        if (each === name && renewed.has(realmOf(value))) continue;
        // RFC 7616 §3.4: the count rises with each use of a nonce; credentials name their challenge in full.
        const used = parseDigestFields(value);
        const nc = Number.parseInt(used?.get('nc') ?? '0', 16) + 1;
        const use = { hash, cnonce: used?.get('cnonce') ?? token(), nc };
        const [counted = value] = authorize(request, [value], credentials, use);
        pairs.push([each, counted]);
      }
    }
    return [...pairs, ...values.map((value) => [name, value] as const)];
  };
}

/** Whether no credentials answered this challenge: another realm, or a new nonce because only the old one was invalid (RFC 7616 §3.3). */
function isNew(value: string, refused: readonly string[]): boolean {
  const challenge = parseChallenge(value);
  const earlier = refused.map(parseChallenge).find((used) => used?.realm === challenge?.realm);
  return !earlier || (challenge?.stale === true && challenge.nonce !== earlier.nonce);
}

function realmOf(value: string): string | undefined {
  return parseChallenge(value)?.realm;
}
