/** Randomness, keyed hashes and encryption at rest. Only this port touches cryptography in the platform. */
export interface Secrets {
  randomBytes(length: number): Uint8Array;
  /** A UUID that cannot be guessed. */
  randomUuid(): string;
  /** AES-256-GCM under the operator's key, base64; each call gives another text. */
  encrypt(plain: string): string;
  /** Throws when the text was not written under this key. */
  decrypt(sealed: string): string;
  /** HMAC-SHA-256 under a key derived from the operator's key, hex: for look-ups and constant-time comparison. */
  keyedHash(text: string): string;
  /** HMAC-SHA-256 under a key that both sides know, base64: the signatures of callbacks. */
  sign(key: string, text: string): string;
  /** HMAC-SHA-1 under a key that both sides know, base64: credentials of TURN servers, which know no other hash. */
  signSha1(key: string, text: string): string;
  /** Ed25519 (RFC 8032) under a key derived from the operator's key, base64url; `proofKey` verifies it. */
  signProof(text: string): string;
  /** The public key of `signProof`: `x` of RFC 8037, base64url of 32 bytes. */
  readonly proofKey: string;
  /** Plain digests in hex: MD5 and SHA-256 for SIP digest (RFC 8760) and for the `password` of docs/interface/endpoints.md#fields. */
  digest(algorithm: 'md5' | 'sha256', text: string): string;
  /** Compares in constant time. */
  equals(left: string, right: string): boolean;
}
