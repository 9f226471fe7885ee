import type { AesBlocks } from './srtp-suite.ts';

/** Enough for 20 ms of G.711; longer packets enlarge the buffer. */
const usualBlocks = 11;

/** The AES counter mode key stream of one session key and salt (RFC 3711 §4.1.1). */
export class SrtpKeystream {
  readonly #aes: AesBlocks;
  readonly #salt: Uint8Array;
  /** Counter blocks: the last two bytes count and are constant, the others depend on the packet. */
  #blocks = counted(usualBlocks);

  constructor(aes: AesBlocks, salt: Uint8Array) {
    this.#aes = aes;
    this.#salt = salt;
  }

  /**
   * Encrypts or decrypts `bytes` from `start` to `end` in place. `index` is the packet's: 48 bits for RTP, 31 for RTCP.
   */
  apply(ssrc: number, index: number, bytes: Uint8Array, start: number, end: number): void {
    const count = (end - start + 15) >> 4;
    if (count <= 0) return;
    if (count * 16 > this.#blocks.length) this.#blocks = counted(count);
    const blocks = this.#blocks;
    // IV = (k_s · 2^16) XOR (SSRC · 2^64) XOR (i · 2^16)
    for (let i = 0; i < 14; i++) blocks[i] = this.#salt[i]!;
    blocks[4]! ^= ssrc >>> 24;
    blocks[5]! ^= ssrc >>> 16;
    blocks[6]! ^= ssrc >>> 8;
    blocks[7]! ^= ssrc;
    const high = Math.floor(index / 0x1_0000_0000);
    blocks[8]! ^= high >>> 8;
    blocks[9]! ^= high;
    blocks[10]! ^= index >>> 24;
    blocks[11]! ^= index >>> 16;
    blocks[12]! ^= index >>> 8;
    blocks[13]! ^= index;
    for (let n = 16; n < count * 16; n += 16) blocks.copyWithin(n, 0, 14);
    const stream = this.#aes.encrypt(blocks, count * 16);
    for (let at = start, k = 0; at < end; at++, k++) bytes[at]! ^= stream[k]!;
  }

  close(): void {
    this.#aes.close();
  }
}

function counted(count: number): Uint8Array {
  const blocks = new Uint8Array(count * 16);
  for (let n = 0; n < count; n++) {
    blocks[n * 16 + 14] = n >>> 8;
    blocks[n * 16 + 15] = n;
  }
  return blocks;
}
