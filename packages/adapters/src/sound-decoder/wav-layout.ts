import { DecodeError } from './decode-error.ts';
import { textAt } from './recognise-sound.ts';

/** Where the samples of a WAV file lie and how they are written; it was checked, so that reading them cannot fail. */
export interface WavLayout {
  readonly encoding: 'unsigned' | 'signed' | 'float' | 'a-law' | 'mu-law';
  /** Of one sample of one channel: 1 to 4. */
  readonly sampleBytes: number;
  readonly channels: number;
  readonly sampleRate: number;
  /** First byte of the first frame, and the number of whole frames that are really there. */
  readonly start: number;
  readonly frames: number;
}

const pcm = 1;
const float = 3;
const aLaw = 6;
const muLaw = 7;
const extensible = 0xfffe;
/** The resampler takes no others. */
const rateRange = { least: 4_000, most: 192_000 } as const;

/** Chunk by chunk (Multimedia Programming Interface 1.0, 1991), trusting no length. Throws a DecodeError. */
export function readWavLayout(bytes: Uint8Array): WavLayout {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: Omit<WavLayout, 'start' | 'frames'> | undefined;
  let data: { start: number; length: number } | undefined;
  for (let at = 12; at + 8 <= bytes.length && (format === undefined || data === undefined); ) {
    const id = textAt(bytes, at);
    const said = view.getUint32(at + 4, true);
    const start = at + 8;
    const left = bytes.length - start;
    if (id === 'fmt ' && format === undefined) format = readFormat(view, start, Math.min(said, left));
    // A writer that could not go back leaves 0 or all ones: what follows is sound up to the end.
    if (id === 'data' && data === undefined) {
      data = { start, length: said === 0 && !isChunk(bytes, start) ? left : Math.min(said, left) };
    }
    at = nextChunk(bytes, start + said);
  }
  if (format === undefined) throw broken("it has no 'fmt ' chunk");
  if (data === undefined) throw broken("it has no 'data' chunk");
  const frames = Math.floor(data.length / (format.sampleBytes * format.channels));
  if (frames === 0) throw broken('it holds no sound');
  return { ...format, start: data.start, frames };
}

/** Chunks begin at even places; a writer that forgot the padding is recognised by the mark that stands one byte early. */
function nextChunk(bytes: Uint8Array, end: number): number {
  const even = end + (end & 1);
  return even !== end && !isChunk(bytes, even) && isChunk(bytes, end) ? end : even;
}

function isChunk(bytes: Uint8Array, at: number): boolean {
  return at + 8 <= bytes.length && /^[ -~]{4}$/.test(textAt(bytes, at));
}

function readFormat(view: DataView, at: number, length: number): Omit<WavLayout, 'start' | 'frames'> {
  if (length < 16) throw broken("its 'fmt ' chunk is too short");
  const tag = view.getUint16(at, true);
  const channels = view.getUint16(at + 2, true);
  const sampleRate = view.getUint32(at + 4, true);
  const frameBytes = view.getUint16(at + 12, true);
  const bits = view.getUint16(at + 14, true);
  if (tag === extensible && length < 40) throw broken("its 'fmt ' chunk is too short");
  // WAVE_FORMAT_EXTENSIBLE: the first two bytes of the GUID at 24 are what the tag used to be.
  const encoding = encodingOf(tag === extensible ? view.getUint16(at + 24, true) : tag, bits);
  if (channels === 0) throw broken('it has no channels');
  if (sampleRate < rateRange.least || sampleRate > rateRange.most) {
    throw broken(`a rate of ${sampleRate} Hz is not between ${rateRange.least} and ${rateRange.most}`);
  }
  // 24 bits may lie in 4 bytes, at their upper end; a frame size that makes no sense is passed over.
  const said = frameBytes / channels;
  const fits = Number.isInteger(said) && said > bits / 8 && said <= 4 && encoding === 'signed';
  return { encoding, sampleBytes: fits ? said : bits / 8, channels, sampleRate };
}

function encodingOf(tag: number, bits: number): WavLayout['encoding'] {
  if (tag === pcm && bits === 8) return 'unsigned';
  if (tag === pcm && (bits === 16 || bits === 24 || bits === 32)) return 'signed';
  if (tag === float && bits === 32) return 'float';
  if (tag === aLaw && bits === 8) return 'a-law';
  if (tag === muLaw && bits === 8) return 'mu-law';
  throw new DecodeError(
    'unknown-format',
    `it is a WAV file with compression ${tag} at ${bits} bits; played are PCM of 8, 16, 24 or 32 bits, float of 32, µ-law and A-law`,
  );
}

function broken(what: string): DecodeError {
  return new DecodeError('broken-file', `it is a broken WAV file: ${what}`);
}
