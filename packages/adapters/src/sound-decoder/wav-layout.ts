import { readWavHeader, type WavFault, wavTag } from '@jackfield/media';
import { DecodeError } from './decode-error.ts';

/** Position and format of the samples in a WAV file; checked, so that reading them cannot fail. */
export interface WavLayout {
  readonly encoding: 'unsigned' | 'signed' | 'float' | 'a-law' | 'mu-law';
  /** Bytes of one sample of one channel: 1 to 4. */
  readonly sampleBytes: number;
  readonly channels: number;
  readonly sampleRate: number;
  /** First byte of the first frame, and the number of whole frames that are present. */
  readonly start: number;
  readonly frames: number;
}

/** The rates that the resampler supports. */
const rateRange = { least: 4_000, most: 192_000 } as const;

const faults: Readonly<Record<WavFault, string>> = {
  'no-wav': 'it does not begin like a WAV file',
  'no-format': "it has no 'fmt ' chunk",
  'no-data': "it has no 'data' chunk",
  'short-format': "its 'fmt ' chunk is too short",
};

/** Throws a DecodeError for an unsupported format. */
export function readWavLayout(bytes: Uint8Array): WavLayout {
  const header = readWavHeader(bytes);
  if (header.fault !== undefined) throw broken(faults[header.fault]);
  const { tag, bits, channels, sampleRate, frameBytes, start, end } = header;
  if (tag === wavTag.extensible) throw broken(faults['short-format']);
  const encoding = encodingOf(tag, bits);
  if (channels === 0) throw broken('it has no channels');
  if (sampleRate < rateRange.least || sampleRate > rateRange.most) {
    throw broken(`a rate of ${sampleRate} Hz is not between ${rateRange.least} and ${rateRange.most}`);
  }
  // 24 bits may lie in 4 bytes, at their upper end; an invalid frame size is ignored.
  const said = frameBytes / channels;
  const fits = Number.isInteger(said) && said > bits / 8 && said <= 4 && encoding === 'signed';
  const sampleBytes = fits ? said : bits / 8;
  const frames = Math.floor((end - start) / (sampleBytes * channels));
  if (frames === 0) throw broken('it has no sound');
  return { encoding, sampleBytes, channels, sampleRate, start, frames };
}

function encodingOf(tag: number, bits: number): WavLayout['encoding'] {
  if (tag === wavTag.pcm && bits === 8) return 'unsigned';
  if (tag === wavTag.pcm && (bits === 16 || bits === 24 || bits === 32)) return 'signed';
  if (tag === wavTag.float && bits === 32) return 'float';
  if (tag === wavTag.aLaw && bits === 8) return 'a-law';
  if (tag === wavTag.muLaw && bits === 8) return 'mu-law';
  throw new DecodeError(
    'unknown-format',
    `it is a WAV file with compression ${tag} at ${bits} bits: PCM of 8, 16, 24 or 32 bits, float of 32 bits, µ-law and A-law are allowed`,
  );
}

function broken(what: string): DecodeError {
  return new DecodeError('broken-file', `it is a broken WAV file: ${what}`);
}
