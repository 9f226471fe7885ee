/** A crypto suite by its SDP name (RFC 4568 §6.2, RFC 6188 §4). */
export type SrtpSuiteName =
  | 'AES_CM_128_HMAC_SHA1_80'
  | 'AES_CM_128_HMAC_SHA1_32'
  | 'AES_256_CM_HMAC_SHA1_80'
  | 'AES_256_CM_HMAC_SHA1_32';

/** Sizes of a suite, in bytes. */
export interface SrtpSuite {
  readonly keyBytes: number;
  readonly tagBytes: number;
}

/** The supported suites: AES in counter mode and HMAC-SHA1 (RFC 3711 §4, RFC 6188 §2). */
export const srtpSuites: Readonly<Record<SrtpSuiteName, SrtpSuite>> = {
  AES_CM_128_HMAC_SHA1_80: { keyBytes: 16, tagBytes: 10 },
  AES_CM_128_HMAC_SHA1_32: { keyBytes: 16, tagBytes: 4 },
  AES_256_CM_HMAC_SHA1_80: { keyBytes: 32, tagBytes: 10 },
  AES_256_CM_HMAC_SHA1_32: { keyBytes: 32, tagBytes: 4 },
};

/** Bytes of a master or session salt (RFC 3711 §8.2). */
export const srtpSaltBytes = 14;

/** Bytes of the SRTCP tag, also where the SRTP tag is shorter (RFC 4568 §6.2.2). */
export const srtcpTagBytes = 10;

/** Ciphers that only the system has, created once per key and used for every packet. */
export interface SrtpCiphers {
  /** AES in ECB mode: encrypts blocks of 16 bytes independently; the next call may overwrite the result. */
  aes(key: Uint8Array): (blocks: Uint8Array) => Uint8Array;
  /** HMAC-SHA1, 20 bytes. */
  hmacSha1(key: Uint8Array): (message: Uint8Array) => Uint8Array;
}
