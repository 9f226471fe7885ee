import type { ByteString } from '../message/message.ts';
import { quote } from '../message/tokens.ts';
import { type Challenge, DIGEST_ALGORITHMS, parseChallenge } from './challenge.ts';
import {
  createHa1,
  type DigestAlgorithm,
  digestAlgorithm,
  digestResponse,
  type Ha1,
  type Hash,
  ha1Of,
} from './digest-response.ts';

/** Our credentials: a password, or its HA1 for the server's realm. */
export type DigestCredentials =
  | { readonly username: ByteString; readonly password: ByteString }
  | { readonly username: ByteString; readonly ha1: Ha1 };

/** The request to authorize. */
export interface AuthorizedRequest {
  readonly method: string;
  /** The Request-URI as it goes onto the wire. */
  readonly uri: string;
  readonly body?: ByteString;
}

/** Values of one use of a challenge: a fresh client nonce, and the count of uses of the server nonce, this one included. */
export interface DigestUse {
  readonly hash: Hash;
  readonly cnonce: string;
  /** From 1. */
  readonly nc: number;
}

/**
 * The values for Authorization (401) or Proxy-Authorization (407), one per realm, each for the strongest challenge that we
 * support, the first among equals (RFC 8760 §2.4). Empty when we support none.
 */
export function authorize(
  request: AuthorizedRequest,
  challengeValues: readonly string[],
  credentials: DigestCredentials,
  use: DigestUse,
): readonly string[] {
  const chosen = new Map<string, Answerable>();
  for (const value of challengeValues) {
    const answerable = answerableChallenge(value);
    if (answerable === undefined) continue;
    const { realm } = answerable.challenge;
    const rival = chosen.get(realm);
    if (rival === undefined || strength(answerable) > strength(rival)) chosen.set(realm, answerable);
  }
  return [...chosen.values()].map((answerable) => answer(request, answerable, credentials, use));
}

interface Answerable {
  readonly challenge: Challenge;
  readonly algorithm: DigestAlgorithm;
  readonly isSession: boolean;
  readonly qop: 'auth' | 'auth-int' | undefined;
}

function answerableChallenge(value: string): Answerable | undefined {
  const challenge = parseChallenge(value);
  if (challenge === undefined) return undefined;
  const isSession = challenge.algorithm !== undefined && /-sess$/i.test(challenge.algorithm);
  const algorithm = digestAlgorithm(isSession ? challenge.algorithm?.slice(0, -5) : challenge.algorithm);
  if (algorithm === undefined) return undefined;
  const { qops } = challenge;
  const qop = qops.includes('auth') ? 'auth' : qops.includes('auth-int') ? 'auth-int' : undefined;
  if (qop === undefined && qops.length > 0) return undefined;
  return { challenge, algorithm, isSession, qop };
}

function strength({ algorithm }: Answerable): number {
  return -DIGEST_ALGORITHMS.indexOf(algorithm);
}

function answer(
  request: AuthorizedRequest,
  answerable: Answerable,
  credentials: DigestCredentials,
  { hash, cnonce, nc }: DigestUse,
): string {
  const { challenge, algorithm, isSession, qop } = answerable;
  const { realm, nonce, opaque } = challenge;
  const { username } = credentials;
  const pair =
    'ha1' in credentials ? credentials.ha1 : createHa1(hash, username, realm, credentials.password);
  const plain = ha1Of(pair, algorithm);
  // RFC 7616 §3.4.2: the session variant hashes both nonces into A1.
  const ha1 = isSession ? hash(algorithm, `${plain}:${nonce}:${cnonce}`) : plain;
  const count = nc.toString(16).padStart(8, '0');
  const { method, uri, body = '' } = request;
  const response = digestResponse(hash, ha1, { algorithm, method, uri, nonce, qop, nc: count, cnonce, body });
  const fields = [`username=${quote(username)}`, `realm=${quote(realm)}`, `nonce=${quote(nonce)}`];
  fields.push(`uri=${quote(uri)}`, `response="${response}"`);
  if (challenge.algorithm !== undefined) fields.push(`algorithm=${algorithm}${isSession ? '-sess' : ''}`);
  if (qop !== undefined) fields.push(`qop=${qop}`, `nc=${count}`);
  if (qop !== undefined || isSession) fields.push(`cnonce=${quote(cnonce)}`);
  if (opaque !== undefined) fields.push(`opaque=${quote(opaque)}`);
  return `Digest ${fields.join(', ')}`;
}
