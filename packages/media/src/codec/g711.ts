import type { AudioCodec } from './audio-codec.ts';

/*
 * One byte a sample, logarithmic (ITU-T G.711):
 *
 *  0 1 2 3 4 5 6 7
 * +-+-+-+-+-+-+-+-+   s  1 for positive
 * |s| seg |  step |   µ-law: all bits inverted; 14-bit samples, bias 33
 * +-+-+-+-+-+-+-+-+   A-law: even bits inverted; 13-bit samples, first two segments linear
 */

/** G.711 µ-law, payload type 0 (RFC 3551 §4.5.14). */
export const pcmu: AudioCodec = createG711('PCMU', 2, compressMu, expandMu);

/** G.711 A-law, payload type 8 (RFC 3551 §4.5.14). */
export const pcma: AudioCodec = createG711('PCMA', 4, compressA, expandA);

/** `unusedBits` are the low bits of a 16-bit sample that the law ignores, so the table omits them. */
function createG711(
  name: 'PCMU' | 'PCMA',
  unusedBits: number,
  compress: (sample: number) => number,
  expand: (code: number) => number,
): AudioCodec {
  const mask = 0xffff >> unusedBits;
  const toCode = new Uint8Array(mask + 1);
  for (let i = 0; i <= mask; i++) toCode[i] = compress(((i << unusedBits) << 16) >> 16);
  const toSample = new Int16Array(256);
  for (let code = 0; code < 256; code++) toSample[code] = expand(code);

  return {
    name,
    clockRate: 8000,
    sampleRate: 8000,
    frameSamples: 160,
    frameBytes: 160,
    remembers: false,
    encode(samples, count, out, outOffset) {
      for (let i = 0; i < count; i++) out[outOffset + i] = toCode[(samples[i]! >> unusedBits) & mask]!;
      return count;
    },
    decode(bytes, offset, length, out, outOffset = 0) {
      const room = out.length - outOffset;
      const count = length < room ? length : room;
      for (let i = 0; i < count; i++) out[outOffset + i] = toSample[bytes[offset + i]!]!;
      return count;
    },
    samplesIn: (length) => length,
  };
}

/** G.711 Table 2a/2b: magnitude in 14 bits, clipped, plus the bias that makes every segment a power of two. */
function compressMu(sample: number): number {
  // The one's complement mirrors the decision values around −½, as in the ITU-T Software Tool Library.
  const magnitude = Math.min(((sample < 0 ? ~sample : sample) >> 2) + 33, 0x1fff);
  const segment = 31 - Math.clz32(magnitude) - 5;
  const step = (magnitude >> (segment + 1)) & 0x0f;
  return (sample < 0 ? 0x7f : 0xff) ^ ((segment << 4) | step);
}

function expandMu(code: number): number {
  const inverted = ~code;
  const segment = (inverted >> 4) & 7;
  const magnitude = (((inverted & 0x0f) * 2 + 33) << segment) - 33;
  return code < 0x80 ? -magnitude * 4 : magnitude * 4;
}

/** G.711 Table 1a/1b: 12-bit magnitude; segments 0 and 1 share one step size. */
function compressA(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> 4;
  const segment = magnitude < 32 ? magnitude >> 4 : 31 - Math.clz32(magnitude) - 3;
  const step = segment < 2 ? magnitude & 0x0f : (magnitude >> (segment - 1)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | step) ^ 0x55;
}

function expandA(code: number): number {
  const plain = code ^ 0x55;
  const segment = (plain >> 4) & 7;
  const step = plain & 0x0f;
  const magnitude = segment === 0 ? step * 2 + 1 : (step * 2 + 33) << (segment - 1);
  return (plain & 0x80) === 0 ? -magnitude * 8 : magnitude * 8;
}
