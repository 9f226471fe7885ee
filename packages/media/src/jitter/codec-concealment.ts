import type { AudioCodec } from '../codec/audio-codec.ts';
import type { Concealment } from './concealment.ts';
import type { PacketRing } from './packet-ring.ts';
import type { PayloadCodecs } from './payload-codecs.ts';

/** Longer than this nothing is made up: what follows is silence. */
const MOST_MS = 60;

/** What a codec that remembers makes up itself: it knows best how its own stream goes on. Others leave it to `Concealment`. */
export class CodecConcealment {
  /** Whose packet was decoded last. */
  coder: AudioCodec | undefined;
  readonly #most: number;
  readonly #others: Concealment;
  readonly #codecs: PayloadCodecs;
  #recovered = 0;

  constructor(sampleRate: number, others: Concealment, codecs: PayloadCodecs) {
    this.#most = (MOST_MS * sampleRate) / 1000;
    this.#others = others;
    this.#codecs = codecs;
  }

  /** Makes up what has not come; what the codec does not make is left to the concealment of others, and all of it where that has begun. */
  standIn(out: Int16Array, offset: number, count: number): void {
    const made = this.#others.active ? 0 : (this.coder?.conceal?.(count, out, offset) ?? 0);
    if (made < count) this.#others.conceal(out, offset + made, count - made);
  }

  /** Whether so many samples were made up at a stretch that silence is all that is left. */
  hasGivenUp(samples: number): boolean {
    if (samples === 0) return false;
    return this.#others.isSilent || (this.coder?.conceal !== undefined && samples >= this.#most);
  }

  /**
   * Decodes the `missing` samples before the packet of this number, which is here, to `outOffset`, and returns how many it made: the last of them from the
   * redundancy in that packet, where there is any.
   */
  recover(
    packets: PacketRing,
    sequenceNumber: number,
    missing: number,
    out: Int16Array,
    outOffset: number,
  ): number {
    const { coder } = this;
    const place = packets.place(sequenceNumber);
    if (coder?.recover === undefined || coder.conceal === undefined || missing > this.#most) return 0;
    if (coder !== this.#codecs.at(packets.payloadType[place]!) || outOffset + missing > out.length) return 0;
    const bytes = packets.payload;
    const offset = place * packets.slotBytes;
    const length = packets.length[place]!;
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
