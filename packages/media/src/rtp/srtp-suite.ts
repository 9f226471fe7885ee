/** A crypto suite by the name under which SDP offers it (RFC 4568 §6.2, RFC 6188 §4). */
export type SrtpSuiteName =
  | 'AES_CM_128_HMAC_SHA1_80'
  | 'AES_CM_128_HMAC_SHA1_32'
  | 'AES_256_CM_HMAC_SHA1_80'
  | 'AES_256_CM_HMAC_SHA1_32';

/** What a suite fixes, in bytes. */
export interface SrtpSuite {
  readonly keyBytes: number;
  readonly tagBytes: number;
}

/** The suites that we speak: AES in counter mode and HMAC-SHA1 (RFC 3711 §4, RFC 6188 §2). */
export const srtpSuites: Readonly<Record<SrtpSuiteName, SrtpSuite>> = {
  AES_CM_128_HMAC_SHA1_80: { keyBytes: 16, tagBytes: 10 },
  AES_CM_128_HMAC_SHA1_32: { keyBytes: 16, tagBytes: 4 },
  AES_256_CM_HMAC_SHA1_80: { keyBytes: 32, tagBytes: 10 },
  AES_256_CM_HMAC_SHA1_32: { keyBytes: 32, tagBytes: 4 },
};

/** Bytes of a master or session salt (RFC 3711 §8.2). */
export const srtpSaltBytes = 14;

/** Bytes of the tag of SRTCP, also where that of SRTP is shorter (RFC 4568 §6.2.2). */
export const srtcpTagBytes = 10;

/** Ciphers of one side, which only the system has: made once for a key, used for every packet. */
export interface SrtpCiphers {
  /** AES: encrypts whole blocks of 16 bytes, each by itself; the result may be overwritten by the next call. */
  aes(key: Uint8Array): (blocks: Uint8Array) => Uint8Array;
  /** HMAC-SHA1: 20 bytes. */
  hmacSha1(key: Uint8Array): (message: Uint8Array) => Uint8Array;
}
