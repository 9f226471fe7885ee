import { quote } from '../message/tokens.ts';
import { type DigestFields, parseDigestFields } from './digest-fields.ts';
import type { DigestAlgorithm } from './digest-response.ts';

/** Fields of a server's challenges; see `challenges`. */
export interface ChallengeFields {
  readonly realm: string;
  readonly nonce: string;
  /** True when only the nonce was invalid: the phone retries with the same password. */
  readonly stale: boolean;
  /** In the order of the headers; by default strongest first. */
  readonly algorithms?: readonly DigestAlgorithm[];
}

/** A Digest challenge as a client reads it. */
export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  readonly stale: boolean;
  /** As written; undefined means MD5. */
  readonly algorithm: string | undefined;
  /** Lower case; empty when the server supports RFC 2069 only. */
  readonly qops: readonly string[];
}

/** Strongest first: a client answers the first that it supports (RFC 8760 §2.4). */
export const DIGEST_ALGORITHMS: readonly DigestAlgorithm[] = ['SHA-256', 'MD5'];

/** The values of WWW-Authenticate or Proxy-Authenticate, one header field per algorithm (RFC 8760 §2.3). */
export function challenges(fields: ChallengeFields): readonly string[] {
  const { realm, nonce, stale, algorithms = DIGEST_ALGORITHMS } = fields;
  const flag = stale ? ', stale=true' : '';
  return algorithms.map(
    (algorithm) =>
      `Digest realm=${quote(realm)}, nonce=${quote(nonce)}, algorithm=${algorithm}, qop="auth"${flag}`,
  );
}

/** Parses one challenge; undefined when it is not Digest or lacks its realm or nonce. */
export function parseChallenge(value: string): Challenge | undefined {
  const fields = parseDigestFields(value);
  return fields === undefined ? undefined : challengeOf(fields);
}

function challengeOf(fields: DigestFields): Challenge | undefined {
  const realm = fields.get('realm');
  const nonce = fields.get('nonce');
  if (realm === undefined || nonce === undefined) return undefined;
  const qop = fields.get('qop');
  return {
    realm,
    nonce,
    opaque: fields.get('opaque'),
    stale: fields.get('stale')?.toLowerCase() === 'true',
    algorithm: fields.get('algorithm'),
    qops:
      qop === undefined
        ? []
        : qop
            .toLowerCase()
            .split(',')
            .map((option) => option.trim()),
  };
}
