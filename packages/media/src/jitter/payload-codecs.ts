import type { AudioCodec } from '../codec/audio-codec.ts';
import type { PacketRing } from './packet-ring.ts';

/** The codecs of a received stream by payload type. */
export class PayloadCodecs {
  readonly #codecs: (AudioCodec | undefined)[] = new Array<AudioCodec | undefined>(128).fill(undefined);

  /** Exchanges them all. */
  set(payloads: readonly { readonly payloadType: number; readonly codec: AudioCodec }[]): void {
    this.#codecs.fill(undefined);
    for (const { payloadType, codec } of payloads) this.#codecs[payloadType] = codec;
  }

  /** Undefined for what is no audio. */
  at(payloadType: number): AudioCodec | undefined {
    return this.#codecs[payloadType];
  }

  /** Samples that a payload stands for; 0 for what is no audio. */
  samplesIn(payloadType: number, bytes: Uint8Array, offset: number, length: number): number {
    return this.#codecs[payloadType]?.samplesIn(length, bytes, offset) ?? 0;
  }

  /** The same of a packet that waits in this place. */
  samplesAt({ payload, payloadType, length, slotBytes }: PacketRing, place: number): number {
    return this.samplesIn(payloadType[place]!, payload, place * slotBytes, length[place]!);
  }
}
