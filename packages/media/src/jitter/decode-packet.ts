import type { AudioCodec } from '../codec/audio-codec.ts';
import type { PacketRing } from './packet-ring.ts';

/** Decodes the packet of a slot to `pcm` and returns its samples. A costly codec makes silence of audio that no leg hears. */
export function decodePacket(
  codec: AudioCodec,
  packets: PacketRing,
  slot: number,
  pcm: Int16Array,
  at: number,
  isUnheard: boolean,
): number {
  const { payload } = packets;
  const from = packets.offsetOf(slot);
  const length = packets.length[slot]!;
  if (!isUnheard || !codec.isCostly) return codec.decode(payload, from, length, pcm, at);
  const count = Math.min(codec.samplesIn(length, payload, from), pcm.length - at);
  pcm.fill(0, at, at + count);
  return count;
}
