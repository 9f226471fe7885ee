import { pcmu } from '@jackfield/media';
import { writeBase64 } from './base64.ts';

/** The constant text of a stream's media frames; their numbers and audio go between. */
export interface MediaTemplate {
  /** Before the sequence number. */
  readonly head: Uint8Array;
  readonly beforeChunk: Uint8Array;
  readonly beforePayload: Uint8Array;
  readonly tail: Uint8Array;
}

/** 20 ms at 24 kHz. */
const MOST_SAMPLES = 480;

/** Frames are written here and copied by the socket; all streams of a thread share it. */
let out = Buffer.alloc(8192);
const gathered = new Int16Array(MOST_SAMPLES);
const gatheredBytes = new Uint8Array(gathered.buffer);
const companded = new Uint8Array(MOST_SAMPLES);

export const encodeText = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** The shared buffer, with at least this many bytes. */
export function frameBuffer(bytes: number): Buffer {
  if (bytes > out.length) out = Buffer.alloc(bytes);
  return out;
}

/**
 * Every `step`-th sample from `offset` as bytes: little-endian L16 (the order of this machine's memory), or µ-law. Valid until the next call.
 */
export function audioBytes(samples: Int16Array, offset: number, step: number, isMu: boolean): Uint8Array {
  const count = samples.length / step;
  for (let i = 0; i < count; i++) gathered[i] = samples[offset + i * step]!;
  if (!isMu) return gatheredBytes;
  pcmu.encode(gathered, count, companded, 0);
  return companded;
}

/** Writes one media frame as JSON; `middle` goes between the sequence number and the timestamp. Valid until the next frame. */
export function mediaText(
  template: MediaTemplate,
  middle: Uint8Array,
  sequence: number,
  timestampMs: number,
  chunk: number,
  bytes: Uint8Array,
  count: number,
): Uint8Array {
  const { head, beforeChunk, beforePayload, tail } = template;
  frameBuffer(200 + middle.length + tail.length + 2 * count);
  let at = put(head, 0);
  at = putNumber(sequence, at);
  at = put(middle, at);
  at = putNumber(timestampMs, at);
  at = put(beforeChunk, at);
  at = putNumber(chunk, at);
  at = put(beforePayload, at);
  at = writeBase64(bytes, count, out, at);
  at = put(tail, at);
  return out.subarray(0, at);
}

function put(bytes: Uint8Array, at: number): number {
  out.set(bytes, at);
  return at + bytes.length;
}

/** A whole number from 0 to 2⁵³. */
function putNumber(number: number, at: number): number {
  let digits = 1;
  for (let power = 10; power <= number; power *= 10) digits++;
  let left = number;
  for (let i = at + digits - 1; i >= at; i--) {
    const tenth = Math.floor(left / 10);
    out[i] = 48 + (left - tenth * 10);
    left = tenth;
  }
  return at + digits;
}
