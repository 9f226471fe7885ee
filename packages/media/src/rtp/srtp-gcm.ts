import { copyBytes } from '../samples/sample-loops.ts';
import { readWord, writeWord } from './srtp-bytes.ts';
import { type AesGcm, type SrtpCiphers, type SrtpSuite, srtpPacketBytes } from './srtp-suite.ts';
import type { DeriveKey, SrtpTransform } from './srtp-transform.ts';

/*
 * RFC 7714 §8, §9: the header is authenticated, the rest is encrypted and authenticated. The index of a report follows its tag.
 *
 *   SRTP   | RTP header | payload, encrypted                    | tag |
 *   SRTCP  | 8 bytes    | the rest of the compound, encrypted   | tag | E ‖ 31: index |
 */

/** RFC 3711 §4.3.2; GCM has no authentication key. */
const labels = { rtp: { cipher: 0, salt: 2 }, rtcp: { cipher: 3, salt: 5 } } as const;

const nonceBytes = 12;

/** The authenticated part of a report: not contiguous in the packet. Each call uses it at once. */
const reportHeader = new Uint8Array(srtpPacketBytes);

/** AES-GCM (RFC 7714). */
export class GcmTransform implements SrtpTransform {
  readonly tagBytes: number;
  readonly reportBytes: number;
  readonly #gcm: AesGcm;
  readonly #reportGcm: AesGcm;
  readonly #salt: Uint8Array;
  readonly #reportSalt: Uint8Array;
  readonly #nonce = new Uint8Array(nonceBytes);

  constructor(ciphers: SrtpCiphers, suite: SrtpSuite, derive: DeriveKey) {
    this.tagBytes = suite.tagBytes;
    this.reportBytes = suite.tagBytes + 4;
    this.#gcm = ciphers.aesGcm(derive(labels.rtp.cipher, suite.keyBytes));
    this.#salt = derive(labels.rtp.salt, suite.saltBytes);
    this.#reportGcm = ciphers.aesGcm(derive(labels.rtcp.cipher, suite.keyBytes));
    this.#reportSalt = derive(labels.rtcp.salt, suite.saltBytes);
  }

  seal(packet: Uint8Array, start: number, length: number, ssrc: number, index: number): void {
    this.#gcm.seal(this.#nonceOf(this.#salt, ssrc, index), packet, start, packet, start, length);
  }

  open(
    bytes: Uint8Array,
    start: number,
    length: number,
    ssrc: number,
    index: number,
    out: Uint8Array,
  ): boolean {
    copyBytes(bytes, 0, length + this.tagBytes, out, 0);
    return this.#gcm.open(this.#nonceOf(this.#salt, ssrc, index), out, start, out, start, length);
  }

  sealReport(packet: Uint8Array, length: number, ssrc: number, index: number): void {
    const word = (0x8000_0000 | index) >>> 0;
    const nonce = this.#nonceOf(this.#reportSalt, ssrc, index);
    this.#reportGcm.seal(nonce, this.#headerOf(packet, 8, word), 12, packet, 8, length);
    writeWord(packet, length + this.tagBytes, word);
  }

  reportWord(bytes: Uint8Array, length: number): number {
    return readWord(bytes, length + this.tagBytes);
  }

  openReport(bytes: Uint8Array, length: number, ssrc: number, word: number, out: Uint8Array): boolean {
    copyBytes(bytes, 0, length + this.tagBytes, out, 0);
    // §9.3: without the E bit all of the report is header, and nothing is encrypted.
    const start = word >= 0x8000_0000 ? 8 : length;
    const nonce = this.#nonceOf(this.#reportSalt, ssrc, word % 0x8000_0000);
    return this.#reportGcm.open(nonce, this.#headerOf(bytes, start, word), start + 4, out, start, length);
  }

  close(): void {
    this.#gcm.close();
    this.#reportGcm.close();
  }

  /** §8.1, §9.1: two zeros, the SSRC and the index in 48 bits, masked with the salt. */
  #nonceOf(salt: Uint8Array, ssrc: number, index: number): Uint8Array {
    const nonce = this.#nonce;
    nonce[0] = 0;
    nonce[1] = 0;
    writeWord(nonce, 2, ssrc);
    const high = Math.floor(index / 0x1_0000_0000);
    nonce[6] = high >>> 8;
    nonce[7] = high;
    writeWord(nonce, 8, index);
    for (let i = 0; i < nonceBytes; i++) nonce[i]! ^= salt[i]!;
    return nonce;
  }

  /** §9.2: the beginning of the report, then the E bit and the index. */
  #headerOf(bytes: Uint8Array, count: number, word: number): Uint8Array {
    copyBytes(bytes, 0, count, reportHeader, 0);
    writeWord(reportHeader, count, word);
    return reportHeader;
  }
}
