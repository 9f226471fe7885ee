/** The header of a WAV file: what its samples are, and where they lie in these bytes. */
export interface WavFormat {
  readonly encoding: 'linear' | 'mulaw' | 'alaw';
  readonly channels: 1 | 2;
  readonly sampleRate: number;
  readonly start: number;
  readonly end: number;
  readonly sentence?: never;
}

/** Reads the header; undefined when the bytes begin with none, a sentence when it is of another kind. */
export function readWavFormat(bytes: Uint8Array): WavFormat | { readonly sentence: string } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || nameAt(bytes, 0) !== 'RIFF' || nameAt(bytes, 8) !== 'WAVE') return undefined;
  let format: Pick<WavFormat, 'encoding' | 'channels' | 'sampleRate'> | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = nameAt(bytes, at);
    const size = view.getUint32(at + 4, true);
    const start = at + 8;
    if (name === 'fmt ') {
      if (size < 16 || start + 16 > bytes.length) break;
      const read = readFormat(view, start);
      if (typeof read === 'string') return { sentence: read };
      format = read;
    } else if (name === 'data') {
      if (format === undefined) break;
      // Who writes a header before he knows the length says 0 or the most that there is.
      const end = size === 0 ? bytes.length : Math.min(bytes.length, start + size);
      return { ...format, start, end };
    }
    // Chunks are padded to an even length.
    at = start + size + (size % 2);
  }
  return { sentence: 'the header of the WAV file ends before its samples begin' };
}

function readFormat(
  view: DataView,
  at: number,
): Pick<WavFormat, 'encoding' | 'channels' | 'sampleRate'> | string {
  const tag = view.getUint16(at, true);
  const channels = view.getUint16(at + 2, true);
  const sampleRate = view.getUint32(at + 4, true);
  const bits = view.getUint16(at + 14, true);
  // 0xfffe says that more about it follows, which is linear for 16 bits in all that matters here.
  const isLinear = (tag === 1 || tag === 0xfffe) && bits === 16;
  const encoding = isLinear ? 'linear' : tag === 7 ? 'mulaw' : tag === 6 ? 'alaw' : undefined;
  if (encoding === undefined)
    return `format ${tag} with ${bits} bits of the WAV file is not 16-bit PCM, µ-law or A-law`;
  if (channels !== 1 && channels !== 2) return `a WAV file of ${channels} channels has not one or two`;
  if (sampleRate < 8000 || sampleRate > 48_000)
    return `the WAV file's rate of ${sampleRate} Hz is not from 8000 to 48000`;
  return { encoding, channels, sampleRate };
}

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
}
