import { wavTag } from './read-wav-header.ts';

/** Length of the result of `wavHeader`. */
export const wavHeaderBytes = 44;

/** A header has 32-bit lengths, which exclude its first 8 bytes. */
export const longestWavData = 0xffff_ffff - wavHeaderBytes;

const bytesPerSample = 2;
const marks = [
  [0, 'RIFF'],
  [8, 'WAVE'],
  [12, 'fmt '],
  [36, 'data'],
] as const;

/** The parameters of a WAV file of 16-bit samples with interleaved channels; rate in Hz. */
export interface LinearWav {
  readonly sampleRate: number;
  readonly channels: number;
}

/**
 * Header of 16-bit PCM, all numbers little-endian:
 *
 *     0 RIFF  4 size-8  8 WAVE | 12 'fmt '  16 16  20 PCM  22 channels  24 rate  28 bytes/s  32 frame  34 bits | 36 data  40 bytes
 */
export function wavHeader({ sampleRate, channels }: LinearWav, dataBytes: number): Uint8Array {
  const header = new Uint8Array(wavHeaderBytes);
  const view = new DataView(header.buffer);
  const counted = Math.min(dataBytes, longestWavData);
  for (const [at, mark] of marks) {
    for (let i = 0; i < 4; i++) header[at + i] = mark.charCodeAt(i);
  }
  view.setUint32(4, wavHeaderBytes - 8 + counted, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, wavTag.pcm, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * channels * bytesPerSample, true);
  view.setUint16(32, channels * bytesPerSample, true);
  view.setUint16(34, bytesPerSample * 8, true);
  view.setUint32(40, counted, true);
  return header;
}

/** Duration of this many bytes of 16-bit samples, in whole milliseconds. */
export function wavDurationMs({ sampleRate, channels }: LinearWav, dataBytes: number): number {
  const frames = Math.floor(dataBytes / (channels * bytesPerSample));
  return Math.round((frames * 1000) / sampleRate);
}
