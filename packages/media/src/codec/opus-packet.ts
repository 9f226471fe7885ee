/** Samples at 48 kHz of the longest packet: 120 ms (RFC 6716 §3.2.5, R5). */
const MOST_SAMPLES = 5760;

/** Frame lengths by configuration number modulo its mode's group (RFC 6716 §3.1, table 2), in samples at 48 kHz. */
const SILK = [480, 960, 1920, 2880] as const;
const HYBRID = [480, 960] as const;
const CELT = [120, 240, 480, 960] as const;

/** Duration of an Opus packet in samples at 48 kHz, from its first bytes (RFC 6716 §3.1); 0 for an invalid packet. */
export function opusSamples(bytes: Uint8Array, offset: number, length: number): number {
  if (length < 1) return 0;
  const first = bytes[offset]!;
  const configuration = first >> 3;
  const frame =
    configuration < 12
      ? SILK[configuration & 3]!
      : configuration < 16
        ? HYBRID[configuration & 1]!
        : CELT[configuration & 3]!;
  const code = first & 3;
  if (code === 3 && length < 2) return 0;
  const frames = code === 0 ? 1 : code < 3 ? 2 : bytes[offset + 1]! & 0x3f;
  const samples = frame * frames;
  return samples > MOST_SAMPLES ? 0 : samples;
}
