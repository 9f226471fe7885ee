import { readWavHeader, wavTag } from '@jackfield/media';

/** The sample format of a WAV file, and the position of the samples in these bytes. */
export interface WavFormat {
  readonly encoding: 'linear' | 'mulaw' | 'alaw';
  readonly channels: 1 | 2;
  readonly sampleRate: number;
  readonly start: number;
  readonly end: number;
  readonly sentence?: never;
}

/** Reads the header; undefined when the bytes do not begin with one, a sentence when its format is not supported. */
export function readWavFormat(bytes: Uint8Array): WavFormat | { readonly sentence: string } | undefined {
  const header = readWavHeader(bytes);
  if (header.fault === 'no-wav') return undefined;
  if (header.fault !== undefined)
    return { sentence: 'the header of the WAV file ends before its samples begin' };
  const { tag, bits, channels, sampleRate, start, end } = header;
  const encoding = encodingOf(tag, bits);
  if (encoding === undefined)
    return { sentence: `format ${tag} with ${bits} bits of the WAV file is not 16-bit PCM, µ-law or A-law` };
  if (channels !== 1 && channels !== 2)
    return { sentence: `a WAV file of ${channels} channels has not one or two` };
  if (sampleRate < 8000 || sampleRate > 48_000)
    return { sentence: `the WAV file's rate of ${sampleRate} Hz is not from 8000 to 48000` };
  return { encoding, channels, sampleRate, start, end };
}

function encodingOf(tag: number, bits: number): WavFormat['encoding'] | undefined {
  if (tag === wavTag.muLaw) return 'mulaw';
  if (tag === wavTag.aLaw) return 'alaw';
  // An extensible header that ends here is linear 16-bit in every respect that matters.
  return (tag === wavTag.pcm || tag === wavTag.extensible) && bits === 16 ? 'linear' : undefined;
}
