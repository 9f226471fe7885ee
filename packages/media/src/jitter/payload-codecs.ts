import type { AudioCodec } from '../codec/audio-codec.ts';
import type { PacketRing } from './packet-ring.ts';

/** The codecs of a received stream by payload type. */
export class PayloadCodecs {
  #payloads: readonly { readonly payloadType: number; readonly codec: AudioCodec }[] = [];

  /** Replaces all codecs. */
  set(payloads: readonly { readonly payloadType: number; readonly codec: AudioCodec }[]): void {
    this.#payloads = payloads;
  }

  /** Undefined for a payload type without audio. */
  at(payloadType: number): AudioCodec | undefined {
    // An agreement has one to four: a search in so few is as fast as a table of 128, which costs 1 KiB.
    const payloads = this.#payloads;
    for (let i = payloads.length - 1; i >= 0; i--)
      if (payloads[i]!.payloadType === payloadType) return payloads[i]!.codec;
    return undefined;
  }

  /** Duration of a payload in samples; 0 for a payload type without audio. */
  samplesIn(payloadType: number, bytes: Uint8Array, offset: number, length: number): number {
    return this.at(payloadType)?.samplesIn(length, bytes, offset) ?? 0;
  }

  /** Duration of the packet in this slot, in samples. */
  samplesAt(packets: PacketRing, slot: number): number {
    const offset = packets.offsetOf(slot);
    return this.samplesIn(packets.payloadTypeOf(slot), packets.payload, offset, packets.lengthOf(slot));
  }
}
