import type { AudioCodec } from '../codec/audio-codec.ts';
import type { PacketRing } from './packet-ring.ts';

/** The codecs of a received stream by payload type. */
export class PayloadCodecs {
  readonly #codecs: (AudioCodec | undefined)[] = new Array<AudioCodec | undefined>(128).fill(undefined);

  /** Replaces all codecs. */
  set(payloads: readonly { readonly payloadType: number; readonly codec: AudioCodec }[]): void {
    this.#codecs.fill(undefined);
    for (const { payloadType, codec } of payloads) this.#codecs[payloadType] = codec;
  }

  /** Undefined for a payload type without audio. */
  at(payloadType: number): AudioCodec | undefined {
    return this.#codecs[payloadType];
  }

  /** Duration of a payload in samples; 0 for a payload type without audio. */
  samplesIn(payloadType: number, bytes: Uint8Array, offset: number, length: number): number {
    return this.#codecs[payloadType]?.samplesIn(length, bytes, offset) ?? 0;
  }

  /** Duration of the packet in this slot, in samples. */
  samplesAt(packets: PacketRing, slot: number): number {
    const { payload, payloadType, length } = packets;
    return this.samplesIn(payloadType[slot]!, payload, packets.offsetOf(slot), length[slot]!);
  }
}
