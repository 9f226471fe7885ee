import type { SipRequest } from '../message/message.ts';
import { sameUri } from '../message/same-uri.ts';
import { parseSipUri } from '../message/uri.ts';
import { type Authorization, parseAuthorization } from './authorization.ts';
import { challenges } from './challenge.ts';
import {
  createHa1,
  type DigestAlgorithm,
  digestResponse,
  type Equals,
  type Ha1,
  type Hash,
  ha1Of,
} from './digest-response.ts';
import type { Nonces } from './nonces.ts';

/** Options of a digest server. */
export interface DigestServerOptions {
  readonly realm: string;
  readonly hash: Hash;
  readonly equals: Equals;
  readonly nonces: Nonces;
  /** A random text of this process, the source of the decoy HA1 of unknown users. */
  readonly decoySecret: string;
  readonly algorithms?: readonly DigestAlgorithm[];
}

/**
 * The unverified credentials of a request: `none` has no authorization for our realm, `malformed` one with an error (400),
 * `claim` one for `judge`.
 */
export type Claim =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'claim'; readonly authorization: Authorization };

/**
 * `accepted`: the password is right. `stale`: the nonce is old, used or not ours, whatever the digest: challenge with
 * stale=true. `refused`: wrong password or unknown user, indistinguishable to the sender. `wrong-uri`: the digest is for
 * another resource (400, RFC 7616 §3.4.6).
 */
export type Judgement = 'accepted' | 'stale' | 'refused' | 'wrong-uri';

/** Server side of digest authentication (RFC 3261 §22, RFC 7616, RFC 8760). */
export interface DigestServer {
  /** The values for WWW-Authenticate (401) or Proxy-Authenticate (407), with a new nonce for the source. */
  challenge(now: number, source: string, stale: boolean): readonly string[];
  /** The claim in the request's Authorization or Proxy-Authorization fields. */
  claim(request: SipRequest, header?: 'Authorization' | 'Proxy-Authorization'): Claim;
  /** Judges a claim, in the same time for an unknown user, whose `ha1` is undefined. */
  judge(
    authorization: Authorization,
    ha1: Ha1 | undefined,
    request: SipRequest,
    now: number,
    source: string,
  ): Judgement;
}

/** Creates a digest server; the caller looks users up between `claim` and `judge`. */
export function createDigestServer(options: DigestServerOptions): DigestServer {
  const { realm, hash, equals, nonces, decoySecret } = options;
  const decoy = decoyHa1(hash, decoySecret);
  const hashA2 = knowingRegister(hash, realm);
  return {
    challenge(now, source, stale) {
      const nonce = nonces.issue(now, source);
      const { algorithms } = options;
      return challenges(
        algorithms === undefined ? { realm, nonce, stale } : { realm, nonce, stale, algorithms },
      );
    },
    claim(request, header = 'Authorization') {
      let isMalformed = false;
      let ours: Authorization | undefined;
      // A request may carry one field per realm (RFC 3261 §22.3); only ours counts.
      for (const value of request.headers.all(header)) {
        // RFC 4475 §3.3.7: credentials of an unknown scheme are ignored, and a challenge follows.
        if (!/^digest(?![^ \t])/i.test(value)) continue;
        const authorization = parseAuthorization(value);
        if (authorization === undefined) isMalformed = true;
        else if (authorization.realm !== realm) continue;
        // Two of one realm: another implementation could judge the other one.
        else if (ours !== undefined) return { kind: 'malformed' };
        else ours = authorization;
      }
      if (ours !== undefined) return { kind: 'claim', authorization: ours };
      return { kind: isMalformed ? 'malformed' : 'none' };
    },
    judge(authorization, ha1, request, now, source) {
      // RFC 7616 §3.3: stale means an invalid nonce, whatever the digest. A guess with an invented nonce proves no source address
      // and is not counted, so its answer must not depend on the password.
      const nonce = nonces.judge(authorization.nonce, now, source);
      if (nonce === 'stale' || nonce === 'forged') return 'stale';
      const isRight = verifyDigest(hash, equals, authorization, ha1 ?? decoy, request.method, hashA2);
      if (!isRight || ha1 === undefined) return 'refused';
      if (!isSameResource(authorization.uri, request.uri)) return 'wrong-uri';
      return nonces.use(nonce, authorization.nc, now) === 'ok' ? 'accepted' : 'stale';
    },
  };
}

/** Whether an authorization was made with this HA1; compares in constant time. */
export function verifyDigest(
  hash: Hash,
  equals: Equals,
  authorization: Authorization,
  ha1: Ha1,
  method: string,
  hashA2: Hash = hash,
): boolean {
  const { algorithm, uri, nonce, qop, ncText, cnonce, response } = authorization;
  const input = { algorithm, method, uri, nonce, qop, nc: ncText, cnonce, body: '' };
  return equals(digestResponse(hash, ha1Of(ha1, algorithm), input, hashA2), response);
}

/**
 * A hash that knows the A2 (RFC 7616 §3.4.3) of nearly every REGISTER from the start. It remembers no request, so the time of an
 * answer reveals nothing about earlier requests.
 */
function knowingRegister(hash: Hash, realm: string): Hash {
  const known = `REGISTER:sip:${realm}`;
  const [md5, sha256] = [hash('MD5', known), hash('SHA-256', known)];
  return (algorithm, text) => {
    if (text !== known) return hash(algorithm, text);
    return algorithm === 'MD5' ? md5 : sha256;
  };
}

/** An HA1 without a password, to verify against for unknown users. */
export function decoyHa1(hash: Hash, secret: string): Ha1 {
  return createHa1(hash, '', '', secret);
}

/**
 * RFC 7616 §3.4.6: both URIs must name one resource. Proxies rewrite ports and parameters of a Request-URI and phones omit
 * them in the digest, so only user and host decide.
 */
function isSameResource(claimed: string, requested: string): boolean {
  if (claimed === requested || sameUri(claimed, requested)) return true;
  const one = parseSipUri(claimed);
  const other = parseSipUri(requested);
  return one !== undefined && other !== undefined && one.user === other.user && one.host === other.host;
}
