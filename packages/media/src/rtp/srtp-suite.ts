/** A crypto suite by its SDP name (RFC 4568 §6.2, RFC 6188 §4, RFC 7714 §14.1). */
export type SrtpSuiteName =
  | 'AES_CM_128_HMAC_SHA1_80'
  | 'AES_CM_128_HMAC_SHA1_32'
  | 'AES_256_CM_HMAC_SHA1_80'
  | 'AES_256_CM_HMAC_SHA1_32'
  | 'AEAD_AES_128_GCM'
  | 'AEAD_AES_256_GCM';

/** The cipher of a suite and its sizes in bytes. */
export interface SrtpSuite {
  readonly mode: 'counter' | 'gcm';
  readonly keyBytes: number;
  /** Of the master salt and of the session salt. */
  readonly saltBytes: number;
  readonly tagBytes: number;
}

/** The supported suites: AES in counter mode with HMAC-SHA1 (RFC 3711 §4, RFC 6188 §2), and AES-GCM (RFC 7714 §12). */
export const srtpSuites: Readonly<Record<SrtpSuiteName, SrtpSuite>> = {
  AES_CM_128_HMAC_SHA1_80: { mode: 'counter', keyBytes: 16, saltBytes: 14, tagBytes: 10 },
  AES_CM_128_HMAC_SHA1_32: { mode: 'counter', keyBytes: 16, saltBytes: 14, tagBytes: 4 },
  AES_256_CM_HMAC_SHA1_80: { mode: 'counter', keyBytes: 32, saltBytes: 14, tagBytes: 10 },
  AES_256_CM_HMAC_SHA1_32: { mode: 'counter', keyBytes: 32, saltBytes: 14, tagBytes: 4 },
  AEAD_AES_128_GCM: { mode: 'gcm', keyBytes: 16, saltBytes: 12, tagBytes: 16 },
  AEAD_AES_256_GCM: { mode: 'gcm', keyBytes: 32, saltBytes: 12, tagBytes: 16 },
};

/** Bytes of master key and master salt of a suite, as SDP carries them (RFC 4568 §6.1). */
export function masterBytes({ keyBytes, saltBytes }: SrtpSuite): number {
  return keyBytes + saltBytes;
}

/** The longest packet that is encrypted or decrypted; longer than any Ethernet frame. */
export const srtpPacketBytes = 2048;

/** AES in ECB mode under one key. */
export interface AesBlocks {
  /** Encrypts the first `length` bytes, a multiple of 16. The next call may overwrite the result. */
  encrypt(blocks: Uint8Array, length: number): Uint8Array;
  close(): void;
}

/** HMAC-SHA1 under one key. */
export interface HmacSha1 {
  /** The 20 bytes of the first `length` bytes. The next call may overwrite the result. */
  sign(message: Uint8Array, length: number): Uint8Array;
  close(): void;
}

/** AES-GCM under one key, with nonces of 12 and tags of 16 bytes. `header` is authenticated and not encrypted. */
export interface AesGcm {
  /** Encrypts the bytes from `start` to `end` in place and writes the tag after them. */
  seal(
    nonce: Uint8Array,
    header: Uint8Array,
    headerLength: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void;
  /** Decrypts in place. False when the tag after `end` is wrong; the bytes from `start` to `end` are then undefined. */
  open(
    nonce: Uint8Array,
    header: Uint8Array,
    headerLength: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean;
  close(): void;
}

/**
 * Constructors of ciphers, which the host supplies. A cipher is created once per key and used for every packet. It holds memory outside
 * the heap until it is closed; a closed one throws.
 */
export interface SrtpCiphers {
  aes(key: Uint8Array): AesBlocks;
  hmacSha1(key: Uint8Array): HmacSha1;
  aesGcm(key: Uint8Array): AesGcm;
  /** Ciphers that are not closed, for the census; 0 where the garbage collector frees them. */
  readonly openCount: number;
}
