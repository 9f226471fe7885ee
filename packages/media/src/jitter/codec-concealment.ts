import type { AudioCodec } from '../codec/audio-codec.ts';
import type { Concealment } from './concealment.ts';
import type { DecodedAudio } from './decoded-audio.ts';
import type { PacketRing } from './packet-ring.ts';
import type { PayloadCodecs } from './payload-codecs.ts';

/** Concealment lasts at most this long; silence follows. */
const MOST_MS = 60;

/** Concealment by stateful codecs (G.722, Opus), which predict their own stream best. Others use `Concealment`. */
export class CodecConcealment {
  /** Codec of the last decoded packet. */
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

  /**
   * Conceals missing samples with the codec. `Concealment` fills what the codec does not produce, and everything once
   * it is active.
   */
  standIn(out: Int16Array, offset: number, count: number): void {
    const made = this.#others.active ? 0 : (this.coder?.conceal?.(count, out, offset) ?? 0);
    if (made < count) this.#others.conceal(out, offset + made, count - made);
  }

  /** Whether concealment has lasted so long that only silence follows. */
  hasGivenUp(samples: number): boolean {
    if (samples === 0) return false;
    return this.#others.isSilent || (this.coder?.conceal !== undefined && samples >= this.#most);
  }

  /**
   * Decodes the `missing` samples before this packet to the end of `decoded`: the last ones from the redundancy in the
   * packet, if any. Returns the number of samples made.
   */
  recover(packets: PacketRing, sequenceNumber: number, missing: number, decoded: DecodedAudio): number {
    const { coder } = this;
    const slot = packets.slotOf(sequenceNumber);
    if (coder?.recover === undefined || coder.conceal === undefined || missing > this.#most) return 0;
    if (coder !== this.#codecs.at(packets.payloadTypeOf(slot))) return 0;
    decoded.reserve(missing);
    const { samples: out, length: end } = decoded;
    if (end + missing > out.length) return 0;
    const bytes = packets.payload;
    const offset = packets.offsetOf(slot);
    const length = packets.lengthOf(slot);
    const covered = Math.min(coder.samplesIn(length, bytes, offset), missing);
    const before = missing > covered ? coder.conceal(missing - covered, out, end) : 0;
    const made = before + coder.recover(bytes, offset, length, covered, out, end + before);
    decoded.length += made;
    this.#recovered += made;
    return made;
  }

  /** Recovered samples since the last call. */
  takeRecovered(): number {
    const recovered = this.#recovered;
    this.#recovered = 0;
    return recovered;
  }
}
