import type { ByteString } from '../message/message.ts';

/** The supported algorithms of RFC 8760, in their wire spelling. */
export type DigestAlgorithm = 'MD5' | 'SHA-256';

/** A hash of the bytes of a text, in lower-case hex; injected so that the stack depends on no runtime. */
export type Hash = (algorithm: DigestAlgorithm, text: ByteString) => string;

/** Constant-time comparison of two texts of one length; injected. */
export type Equals = (one: string, other: string) => boolean;

/** HA1 of RFC 7616 §3.4.2 per algorithm, lower-case hex. */
export interface Ha1 {
  readonly md5: string;
  readonly sha256: string;
}

/** Input of the response hash besides the secret. */
export interface DigestInput {
  readonly algorithm: DigestAlgorithm;
  readonly method: string;
  readonly uri: string;
  readonly nonce: string;
  /** Undefined is the form of RFC 2069, for clients without qop (RFC 3261 §22.4 item 8). */
  readonly qop: 'auth' | 'auth-int' | undefined;
  /** Eight hex digits; with qop only. */
  readonly nc: string;
  readonly cnonce: string;
  /** Used for `auth-int` only. */
  readonly body: ByteString;
}

/** The algorithm of a wire spelling, MD5 if absent (RFC 7616 §3.3); undefined for any other. */
export function digestAlgorithm(spelling: string | undefined): DigestAlgorithm | undefined {
  if (spelling === undefined) return 'MD5';
  const name = spelling.toUpperCase();
  return name === 'MD5' || name === 'SHA-256' ? name : undefined;
}

/** HA1 of a user in a realm for both algorithms; a server stores it instead of the password. */
export function createHa1(hash: Hash, username: ByteString, realm: ByteString, password: ByteString): Ha1 {
  const secret = `${username}:${realm}:${password}`;
  return { md5: hash('MD5', secret), sha256: hash('SHA-256', secret) };
}

/** The HA1 of one algorithm. */
export function ha1Of(ha1: Ha1, algorithm: DigestAlgorithm): string {
  return algorithm === 'MD5' ? ha1.md5 : ha1.sha256;
}

/** The `response` of RFC 7616 §3.4.1 from HA1 and the fields of the request. `hashA2` hashes method and URI, which are no secrets. */
export function digestResponse(hash: Hash, ha1: string, input: DigestInput, hashA2: Hash = hash): string {
  const { algorithm, nonce, qop, nc, cnonce } = input;
  const a2 = `${input.method}:${input.uri}`;
  const ha2 = hashA2(algorithm, qop === 'auth-int' ? `${a2}:${hash(algorithm, input.body)}` : a2);
  if (qop === undefined) return hash(algorithm, `${ha1}:${nonce}:${ha2}`);
  return hash(algorithm, `${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${ha2}`);
}
