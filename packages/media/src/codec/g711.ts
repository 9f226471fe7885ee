import {
  compress,
  compressA,
  compressMu,
  expand,
  expandA,
  expandMu,
  type Law,
} from '../samples/sample-loops.ts';
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
export const pcmu: AudioCodec = createG711('PCMU', compressMu, expandMu);

/** G.711 A-law, payload type 8 (RFC 3551 §4.5.14). */
export const pcma: AudioCodec = createG711('PCMA', compressA, expandA);

function createG711(name: 'PCMU' | 'PCMA', toCode: Law, toSample: Law): AudioCodec {
  return {
    name,
    clockRate: 8000,
    sampleRate: 8000,
    frameSamples: 160,
    frameBytes: 160,
    remembers: false,
    encode(samples, count, out, outOffset) {
      compress(toCode, samples, count, out, outOffset);
      return count;
    },
    decode(bytes, offset, length, out, outOffset = 0) {
      const count = Math.min(length, out.length - outOffset);
      expand(toSample, bytes, offset, count, out, outOffset);
      return count;
    },
    samplesIn: (length) => length,
  };
}
