import type { AudioCodec } from '../codec/audio-codec.ts';
import type { DecodedAudio } from './decoded-audio.ts';
import type { PacketRing } from './packet-ring.ts';

/** Decodes the packet of a slot to the end of `decoded` and returns its samples; silence of the same length when it is muted. */
export function decodePacket(
  codec: AudioCodec,
  packets: PacketRing,
  slot: number,
  decoded: DecodedAudio,
  isMuted: boolean,
): number {
  const { payload } = packets;
  const from = packets.offsetOf(slot);
  const length = packets.lengthOf(slot);
  decoded.reserve(codec.samplesIn(length, payload, from));
  const at = decoded.length;
  if (!isMuted) decoded.length += codec.decode(payload, from, length, decoded.samples, at);
  else {
    const count = Math.min(codec.samplesIn(length, payload, from), decoded.samples.length - at);
    decoded.samples.fill(0, at, at + count);
    decoded.length += count;
  }
  return decoded.length - at;
}
