import { readFileSync } from 'node:fs';
import { readWavHeader } from '@jackfield/media';
import { MPEGDecoder } from 'mpg123-decoder';

/** A portion of tones, one for each track, starting at sample `from`. */
export function tones(
  hz: readonly number[],
  from: number,
  length: number,
  sampleRate = 8000,
): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(length * hz.length);
  for (let i = 0; i < length; i++) {
    for (const [track, frequency] of hz.entries()) {
      const phase = (2 * Math.PI * frequency * (from + i)) / sampleRate;
      samples[i * hz.length + track] = Math.round(10_000 * Math.sin(phase));
    }
  }
  return samples;
}

export interface Decoded {
  readonly sampleRate: number;
  readonly tracks: readonly Float32Array[];
  readonly durationMs: number;
}

export function decodeWav(path: string): Decoded {
  // The header of a file that grows meanwhile counts only what the second reading finds.
  const header = readWavHeader(readFileSync(path));
  const bytes = readFileSync(path);
  if (header.fault !== undefined) throw new Error('no WAV header');
  const { channels, sampleRate, start, countedBytes } = header;
  if (start + countedBytes > bytes.length) throw new Error('the header counts more than there is');
  const length = Math.floor(countedBytes / 2 / channels);
  const tracks = Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length }, (_, i) => bytes.readInt16LE(start + (i * channels + channel) * 2) / 32_768),
  );
  return { sampleRate, tracks, durationMs: (length * 1000) / sampleRate };
}

export async function decodeMp3(path: string): Promise<Decoded> {
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  try {
    const bytes = readFileSync(path);
    const { channelData, samplesDecoded, sampleRate, errors } = decoder.decode(bytes);
    if (errors.length > 0) throw new Error(`the decoder found ${errors.length} errors`);
    // ISO/IEC 11172-3 §2.4.2.3: mode 3 is one channel, which this decoder outputs twice.
    const channels = bytes[3]! >> 6 === 3 ? 1 : 2;
    return {
      sampleRate,
      tracks: channelData.slice(0, channels),
      durationMs: (samplesDecoded * 1000) / sampleRate,
    };
  } finally {
    decoder.free();
  }
}

/** Level of a tone in the middle of a track, in dB of a full-scale sine, by correlation over whole half seconds. */
export function levelOf(hz: number, { sampleRate, tracks }: Decoded, track: number): number {
  const samples = tracks[track]!;
  const length = sampleRate / 2;
  const from = Math.floor((samples.length - length) / 2);
  let real = 0;
  let imaginary = 0;
  for (let i = 0; i < length; i++) {
    const phase = (2 * Math.PI * hz * i) / sampleRate;
    real += samples[from + i]! * Math.cos(phase);
    imaginary += samples[from + i]! * Math.sin(phase);
  }
  return 20 * Math.log10((2 * Math.hypot(real, imaginary)) / length + 1e-9);
}
