/** Sample formats of a WAV file (`wFormatTag`). */
export const wavTag = { pcm: 1, float: 3, aLaw: 6, muLaw: 7, extensible: 0xfffe } as const;

/** The fields of a WAV header, not validated, and the position of the samples in the bytes. */
export interface WavHeader {
  /**
   * A `wavTag`. An extensible header has the one of its GUID, or `extensible` itself where it is too short for a GUID.
   */
  readonly tag: number;
  readonly channels: number;
  /** In Hz. */
  readonly sampleRate: number;
  /** Bytes of one sample of every channel. */
  readonly frameBytes: number;
  /** Bits of one sample of one channel. */
  readonly bits: number;
  /** First byte of the samples, and the byte after the last one present. */
  readonly start: number;
  readonly end: number;
  /** Bytes of samples that the header declares, true or not. */
  readonly countedBytes: number;
  readonly fault?: never;
}

/** Why there is no header: not a WAV file, no chunk `fmt ` or `data`, or a `fmt ` of less than 16 bytes. */
export type WavFault = 'no-wav' | 'no-format' | 'no-data' | 'short-format';

interface WavSamples extends Pick<WavHeader, 'start' | 'end' | 'countedBytes'> {}
type WavFormat = Omit<WavHeader, keyof WavSamples>;

// RF64 (EBU Tech 3306) begins files of unlimited length; below 4 GB it reads like RIFF.
const riff = mark('RIFF');
const rf64 = mark('RF64');
const wave = mark('WAVE');
const formatChunk = mark('fmt ');
const dataChunk = mark('data');

/** Whether these bytes begin as a WAV file, regardless of name and content type. */
export function isWav(bytes: Uint8Array): boolean {
  if (bytes.length < 12) return false;
  const view = viewOf(bytes);
  const first = view.getUint32(0);
  return (first === riff || first === rf64) && view.getUint32(8) === wave;
}

/**
 * Reads the chunks in any order (Multimedia Programming Interface 1.0, 1991) and trusts no length: a file that was cut,
 * or whose writer did not complete the lengths, is read to its end. The first `fmt ` and the first `data` count. The
 * time is one step per chunk before the second of these, at least eight bytes each; nothing is allocated in the loop.
 */
export function readWavHeader(bytes: Uint8Array): WavHeader | { readonly fault: WavFault } {
  if (!isWav(bytes)) return { fault: 'no-wav' };
  const view = viewOf(bytes);
  let format: WavFormat | undefined;
  let samples: WavSamples | undefined;
  for (let at = 12; at + 8 <= bytes.length && (format === undefined || samples === undefined); ) {
    const id = view.getUint32(at);
    const counted = view.getUint32(at + 4, true);
    const start = at + 8;
    if (id === formatChunk && format === undefined) {
      const length = Math.min(counted, bytes.length - start);
      if (length < 16) return { fault: 'short-format' };
      format = readFormat(view, start, length);
    }
    if (id === dataChunk && samples === undefined) {
      samples = { start, end: endOfSamples(view, start, counted), countedBytes: counted };
    }
    at = nextChunk(view, start + counted);
  }
  if (format === undefined) return { fault: 'no-format' };
  if (samples === undefined) return { fault: 'no-data' };
  return { ...format, ...samples };
}

function readFormat(view: DataView, at: number, length: number): WavFormat {
  const tag = view.getUint16(at, true);
  return {
    // WAVE_FORMAT_EXTENSIBLE: the first two bytes of the GUID at 24 hold the tag.
    tag: tag === wavTag.extensible && length >= 40 ? view.getUint16(at + 24, true) : tag,
    channels: view.getUint16(at + 2, true),
    sampleRate: view.getUint32(at + 4, true),
    frameBytes: view.getUint16(at + 12, true),
    bits: view.getUint16(at + 14, true),
  };
}

/** A writer that could not complete the length leaves 0 or all ones: the rest is audio, unless it is a whole chunk. */
function endOfSamples(view: DataView, start: number, counted: number): number {
  const isUncounted = counted === 0 && !isWholeChunk(view, start);
  return isUncounted ? view.byteLength : Math.min(start + counted, view.byteLength);
}

/** Chunks begin at even offsets. Some writers omit the padding, which an id one byte earlier shows. */
function nextChunk(view: DataView, end: number): number {
  const even = end + (end & 1);
  return even !== end && !isChunk(view, even) && isChunk(view, end) ? end : even;
}

function isChunk(view: DataView, at: number): boolean {
  if (at + 8 > view.byteLength) return false;
  for (let i = at; i < at + 4; i++) {
    const byte = view.getUint8(i);
    // Chunk ids are printable ASCII.
    if (byte < 0x20 || byte > 0x7e) return false;
  }
  return true;
}

/** One sample in fifty looks like an id by chance; very few also have a length that fits. */
function isWholeChunk(view: DataView, at: number): boolean {
  return isChunk(view, at) && at + 8 + view.getUint32(at + 4, true) <= view.byteLength;
}

/** Four characters as one number, so that comparing needs no string. */
function mark(text: string): number {
  return [...text].reduce((number, character) => number * 256 + character.charCodeAt(0), 0);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
