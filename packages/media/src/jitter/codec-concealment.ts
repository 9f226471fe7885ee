import type { AudioCodec } from '../codec/audio-codec.ts';

/** Longer than this nothing is made up: what follows is silence. */
const MOST_MS = 60;

/** What a codec that remembers makes up itself: it knows best how its own stream goes on. Others leave it to `Concealment`. */
export class CodecConcealment {
  /** Whose packet was decoded last. */
  coder: AudioCodec | undefined;
  readonly #most: number;
  #recovered = 0;

  constructor(sampleRate: number) {
    this.#most = (MOST_MS * sampleRate) / 1000;
  }

  /** Makes up what has not come, and returns how much of it. */
  conceal(out: Int16Array, offset: number, count: number): number {
    return this.coder?.conceal?.(count, out, offset) ?? 0;
  }

  /** After so many samples made up at a stretch. */
  hasGivenUp(samples: number): boolean {
    return this.coder?.conceal !== undefined && samples >= this.#most;
  }

  /**
   * Decodes the `missing` samples before a packet that is here, and returns how many it made: the last of them from the redundancy in that
   * packet, where there is any.
   */
  recover(
    bytes: Uint8Array,
    offset: number,
    length: number,
    missing: number,
    out: Int16Array,
    outOffset: number,
  ): number {
    const { coder } = this;
    if (coder?.recover === undefined || coder.conceal === undefined || missing > this.#most) return 0;
    const told = Math.min(coder.samplesIn(length, bytes, offset), missing);
    const before = missing > told ? coder.conceal(missing - told, out, outOffset) : 0;
    const made = before + coder.recover(bytes, offset, length, told, out, outOffset + before);
    this.#recovered += made;
    return made;
  }

  /** Samples that were recovered since it was asked last. */
  takeRecovered(): number {
    const recovered = this.#recovered;
    this.#recovered = 0;
    return recovered;
  }
}
