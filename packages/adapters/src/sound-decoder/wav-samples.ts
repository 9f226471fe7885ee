import { pcma, pcmu } from '@jackfield/media';
import type { WavLayout } from './wav-layout.ts';

/** Reads whole frames as mono samples: the mean of all channels. */
export type ReadFrames = (firstFrame: number, count: number, out: Int16Array) => void;

export function createWavReader(bytes: Uint8Array, layout: WavLayout): ReadFrames {
  const { channels, sampleBytes, start } = layout;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sampleAt = sampleReader(bytes, view, layout);
  return (firstFrame, count, out) => {
    let at = start + firstFrame * channels * sampleBytes;
    for (let frame = 0; frame < count; frame++) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++, at += sampleBytes) sum += sampleAt(at);
      out[frame] = Math.max(-32_768, Math.min(32_767, Math.round(sum / channels)));
    }
  };
}

/** One sample on the scale of 16 bits, fractions kept. */
function sampleReader(bytes: Uint8Array, view: DataView, layout: WavLayout): (at: number) => number {
  switch (layout.encoding) {
    case 'unsigned':
      return (at) => (bytes[at]! - 128) * 256;
    case 'a-law':
      return expandedBy(pcma, bytes);
    case 'mu-law':
      return expandedBy(pcmu, bytes);
    case 'float':
      return (at) => {
        const sample = view.getFloat32(at, true);
        // NaN, and values that would drown the other channels.
        return sample >= -1 && sample <= 1
          ? sample * 32_767
          : sample > 1
            ? 32_767
            : sample < -1
              ? -32_768
              : 0;
      };
    case 'signed':
      switch (layout.sampleBytes) {
        case 2:
          return (at) => view.getInt16(at, true);
        case 3:
          return (at) => view.getInt16(at + 1, true) + bytes[at]! / 256;
        default:
          return (at) => view.getInt32(at, true) / 65_536;
      }
  }
}

function expandedBy(codec: typeof pcma, bytes: Uint8Array): (at: number) => number {
  const all = new Int16Array(256);
  codec.decode(
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
    0,
    256,
    all,
  );
  return (at) => all[bytes[at]!]!;
}
