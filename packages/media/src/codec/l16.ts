import type { AudioCodec } from './audio-codec.ts';

/** Sample rates of L16 that we support. */
const l16Rates: readonly number[] = [8000, 16_000, 24_000, 48_000];

const codecs = new Map(l16Rates.map((rate) => [rate, createL16(rate)]));

/**
 * Uncompressed mono samples, most significant byte first (RFC 3551 §4.5.11); undefined for a rate outside `l16Rates`.
 */
export function l16(rate: number): AudioCodec | undefined {
  return codecs.get(rate);
}

function createL16(rate: number): AudioCodec {
  return {
    name: 'L16',
    clockRate: rate,
    sampleRate: rate,
    frameSamples: rate / 50,
    frameBytes: rate / 25,
    remembers: false,
    encode(samples, count, out, outOffset) {
      for (let i = 0; i < count; i++) {
        out[outOffset + 2 * i] = samples[i]! >> 8;
        out[outOffset + 2 * i + 1] = samples[i]!;
      }
      return 2 * count;
    },
    decode(bytes, offset, length, out, outOffset = 0) {
      const room = out.length - outOffset;
      const count = Math.min(length >> 1, room);
      for (let i = 0; i < count; i++) {
        out[outOffset + i] = (bytes[offset + 2 * i]! << 8) | bytes[offset + 2 * i + 1]!;
      }
      return count;
    },
    samplesIn: (length) => length >> 1,
  };
}
