import { type MpegHeader, readMpegHeader } from '@jackfield/media';

/** Whole frames of one sample rate that follow each other without a gap. */
export interface FrameRun {
  readonly start: number;
  readonly end: number;
  readonly sampleRate: number;
  /** Samples of each channel, as the headers say. */
  readonly samples: number;
}

/** Consecutive frames that distinguish sound from bytes that only look like a header. */
const frameChain = 3;

/** The first possible position of sound, after the tags: there may be several, with wrong lengths. */
export function skipId3(bytes: Uint8Array): number {
  let at = 0;
  while (bytes[at] === 0x49 && bytes[at + 1] === 0x44 && bytes[at + 2] === 0x33 && at + 10 <= bytes.length) {
    const length = bytes.subarray(at + 6, at + 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
    // ID3v2.4 §3.1: the fourth flag announces a footer of ten more bytes.
    const end = at + 10 + length + ((bytes[at + 5]! & 0x10) === 0 ? 0 : 10);
    if (end > bytes.length) return at + 10;
    at = end;
  }
  return at;
}

/** Position of the first frame that others follow, from `at` on and not later than `last`; -1 when there is none. */
export function findFrames(bytes: Uint8Array, at: number, last = bytes.length): number {
  for (let start = bytes.indexOf(0xff, at); start !== -1 && start <= last; ) {
    if (isChain(bytes, start)) return start;
    start = bytes.indexOf(0xff, start + 1);
  }
  return -1;
}

/** A file may end within the chain, but not within its first frame. */
function isChain(bytes: Uint8Array, at: number): boolean {
  let sampleRate: number | undefined;
  for (let frame = 0, next = at; frame < frameChain; frame++) {
    const header = readMpegHeader(bytes, next);
    if (header === undefined) return frame > 0 && isEnd(bytes, next);
    if (sampleRate !== undefined && sampleRate !== header.sampleRate) return false;
    sampleRate = header.sampleRate;
    next += header.bytes;
    if (next > bytes.length) return frame > 0;
  }
  return true;
}

/** The end of the file, or an ID3v1 or APE tag. */
function isEnd(bytes: Uint8Array, at: number): boolean {
  if (at >= bytes.length) return true;
  const mark = String.fromCharCode(...bytes.subarray(at, at + 3));
  return mark === 'TAG' || mark === 'APE';
}

/** Whole frames from `at` on, up to about `size` bytes; bytes between frames are skipped. Linear in the bytes that it passes. */
export function nextFrames(bytes: Uint8Array, at: number, size: number): FrameRun | undefined {
  let start = at;
  let header = wholeFrame(bytes, start);
  if (header === undefined) {
    start = findFrames(bytes, start);
    if (start === -1) return undefined;
    header = wholeFrame(bytes, start);
    if (header === undefined) return undefined;
  }
  const { sampleRate } = header;
  let end = start;
  let samples = 0;
  while (header !== undefined && header.sampleRate === sampleRate && end - start < size) {
    end += header.bytes;
    samples += header.samples;
    header = wholeFrame(bytes, end);
  }
  return { start, end, sampleRate, samples };
}

function wholeFrame(bytes: Uint8Array, at: number): MpegHeader | undefined {
  const header = readMpegHeader(bytes, at);
  return header !== undefined && at + header.bytes <= bytes.length ? header : undefined;
}
