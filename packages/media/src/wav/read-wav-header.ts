/** How a WAV file says that its samples are written (`wFormatTag`). */
export const wavTag = { pcm: 1, float: 3, aLaw: 6, muLaw: 7, extensible: 0xfffe } as const;

/** What the header of a WAV file says, unjudged, and where its samples lie in the bytes that it was read from. */
export interface WavHeader {
  /** A `wavTag`; of an extensible header the one that its GUID names, and `extensible` itself where it is too short to name one. */
  readonly tag: number;
  readonly channels: number;
  /** In Hz. */
  readonly sampleRate: number;
  /** Of one sample of every channel. */
  readonly frameBytes: number;
  /** Of one sample of one channel. */
  readonly bits: number;
  /** First byte of the samples, and the one behind the last that is really there. */
  readonly start: number;
  readonly end: number;
  /** How many bytes of samples the header counts, true or not. */
  readonly countedBytes: number;
  readonly fault?: never;
}

/** Why there is no header: another kind of file; no chunk `fmt ` or `data`; a `fmt ` of less than 16 bytes. */
export type WavFault = 'no-wav' | 'no-format' | 'no-data' | 'short-format';

interface WavSamples extends Pick<WavHeader, 'start' | 'end' | 'countedBytes'> {}
type WavFormat = Omit<WavHeader, keyof WavSamples>;

// RF64 (EBU Tech 3306) is what writers of endless files begin with; what is below 4 GB reads like RIFF.
const riff = mark('RIFF');
const rf64 = mark('RF64');
const wave = mark('WAVE');
const formatChunk = mark('fmt ');
const dataChunk = mark('data');

/** Whether these bytes begin as a WAV file does, whatever its name or content type. */
export function isWav(bytes: Uint8Array): boolean {
  if (bytes.length < 12) return false;
  const view = viewOf(bytes);
  const first = view.getUint32(0);
  return (first === riff || first === rf64) && view.getUint32(8) === wave;
}

/**
 * Reads chunk by chunk, in any order (Multimedia Programming Interface 1.0, 1991), and trusts no length: a file that was cut, or whose
 * writer could not go back to count, is read as far as it goes. The first `fmt ` and the first `data` count. Takes a step for every
 * chunk before the second of them, at least eight bytes each, and allocates nothing on the way.
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
    // WAVE_FORMAT_EXTENSIBLE: the first two bytes of the GUID at 24 are what the tag used to be.
    tag: tag === wavTag.extensible && length >= 40 ? view.getUint16(at + 24, true) : tag,
    channels: view.getUint16(at + 2, true),
    sampleRate: view.getUint32(at + 4, true),
    frameBytes: view.getUint16(at + 12, true),
    bits: view.getUint16(at + 14, true),
  };
}

/** A writer that could not go back leaves 0 or all ones: what follows is sound up to the end, unless it is a whole chunk. */
function endOfSamples(view: DataView, start: number, counted: number): number {
  const isUncounted = counted === 0 && !isWholeChunk(view, start);
  return isUncounted ? view.byteLength : Math.min(start + counted, view.byteLength);
}

/** Chunks begin at even places; a writer that forgot the padding is recognised by the mark that stands one byte early. */
function nextChunk(view: DataView, end: number): number {
  const even = end + (end & 1);
  return even !== end && !isChunk(view, even) && isChunk(view, end) ? end : even;
}

function isChunk(view: DataView, at: number): boolean {
  if (at + 8 > view.byteLength) return false;
  for (let i = at; i < at + 4; i++) {
    const byte = view.getUint8(i);
    // Marks are printable ASCII.
    if (byte < 0x20 || byte > 0x7e) return false;
  }
  return true;
}

/** One sample in fifty looks like a mark by chance; hardly one is followed by a length that fits. */
function isWholeChunk(view: DataView, at: number): boolean {
  return isChunk(view, at) && at + 8 + view.getUint32(at + 4, true) <= view.byteLength;
}

/** Four characters as the number that their bytes are, so that comparing makes no text. */
function mark(text: string): number {
  return [...text].reduce((number, character) => number * 256 + character.charCodeAt(0), 0);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
