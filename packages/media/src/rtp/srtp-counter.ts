import { copyBytes } from '../samples/sample-loops.ts';
import { readWord, writeWord } from './srtp-bytes.ts';
import { SrtpKeystream } from './srtp-keystream.ts';
import type { HmacSha1, SrtpCiphers, SrtpSuite } from './srtp-suite.ts';
import type { DeriveKey, SrtpTransform } from './srtp-transform.ts';

/*
 * RFC 3711 §3.1, §3.4: the payload is encrypted, and all bytes before the tag are authenticated.
 *
 *   SRTP   | RTP header | payload, encrypted                    |               | tag of packet ‖ ROC |
 *   SRTCP  | 8 bytes    | the rest of the compound, encrypted   | E ‖ 31: index | tag                 |
 */

/** RFC 3711 §4.3.2. */
const labels = { rtp: { cipher: 0, auth: 1, salt: 2 }, rtcp: { cipher: 3, auth: 4, salt: 5 } } as const;

/** RFC 3711 §5.2, §5.3: n_a of HMAC-SHA1. */
const authKeyBytes = 20;

/** Bytes of the SRTCP tag, also where the SRTP tag is shorter (RFC 4568 §6.2.2). */
const reportTagBytes = 10;

/** AES in counter mode with HMAC-SHA1 (RFC 3711 §4). */
export class CounterTransform implements SrtpTransform {
  readonly tagBytes: number;
  readonly reportBytes = 4 + reportTagBytes;
  readonly #stream: SrtpKeystream;
  readonly #reportStream: SrtpKeystream;
  readonly #hmac: HmacSha1;
  readonly #reportHmac: HmacSha1;

  constructor(ciphers: SrtpCiphers, suite: SrtpSuite, derive: DeriveKey) {
    this.tagBytes = suite.tagBytes;
    const stream = (of: 'rtp' | 'rtcp'): SrtpKeystream =>
      new SrtpKeystream(
        ciphers.aes(derive(labels[of].cipher, suite.keyBytes)),
        derive(labels[of].salt, suite.saltBytes),
      );
    this.#stream = stream('rtp');
    this.#hmac = ciphers.hmacSha1(derive(labels.rtp.auth, authKeyBytes));
    this.#reportStream = stream('rtcp');
    this.#reportHmac = ciphers.hmacSha1(derive(labels.rtcp.auth, authKeyBytes));
  }

  seal(packet: Uint8Array, start: number, length: number, ssrc: number, index: number): void {
    this.#stream.apply(ssrc, index, packet, start, length);
    // §4.2: the rollover counter is authenticated after the packet; the tag then overwrites it.
    writeWord(packet, length, Math.floor(index / 0x10000));
    const tag = this.#hmac.sign(packet, length + 4);
    for (let i = 0; i < this.tagBytes; i++) packet[length + i] = tag[i]!;
  }

  open(
    bytes: Uint8Array,
    start: number,
    length: number,
    ssrc: number,
    index: number,
    out: Uint8Array,
  ): boolean {
    copyBytes(bytes, 0, length, out, 0);
    writeWord(out, length, Math.floor(index / 0x10000));
    if (!isSameTag(this.#hmac.sign(out, length + 4), bytes, length, this.tagBytes)) return false;
    this.#stream.apply(ssrc, index, out, start, length);
    return true;
  }

  sealReport(packet: Uint8Array, length: number, ssrc: number, index: number): void {
    this.#reportStream.apply(ssrc, index, packet, 8, length);
    writeWord(packet, length, (0x8000_0000 | index) >>> 0);
    const tag = this.#reportHmac.sign(packet, length + 4);
    for (let i = 0; i < reportTagBytes; i++) packet[length + 4 + i] = tag[i]!;
  }

  reportWord(bytes: Uint8Array, length: number): number {
    return readWord(bytes, length);
  }

  openReport(bytes: Uint8Array, length: number, ssrc: number, word: number, out: Uint8Array): boolean {
    const signed = length + 4;
    copyBytes(bytes, 0, signed, out, 0);
    if (!isSameTag(this.#reportHmac.sign(out, signed), bytes, signed, reportTagBytes)) return false;
    // §3.4: without the E bit the report is authenticated but not encrypted.
    if (word >= 0x8000_0000) this.#reportStream.apply(ssrc, word % 0x8000_0000, out, 8, length);
    return true;
  }

  close(): void {
    this.#stream.close();
    this.#reportStream.close();
    this.#hmac.close();
    this.#reportHmac.close();
  }
}

/** Whether the first `count` bytes of a tag equal those at `at`, in constant time. */
function isSameTag(tag: Uint8Array, bytes: Uint8Array, at: number, count: number): boolean {
  let difference = 0;
  for (let i = 0; i < count; i++) difference |= tag[i]! ^ bytes[at + i]!;
  return difference === 0;
}
