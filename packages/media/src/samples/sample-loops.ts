import { sampleLoops } from './sample-loops-binary.ts';
import {
  addressOfBytes,
  addressOfSamples,
  addressOfSums,
  allocateBytes,
  allocateSamples,
  allocateSums,
  memory,
} from './sample-memory.ts';

/** One direction of a law of G.711: from samples to bytes, or back. */
export type Law = (from: number, count: number, to: number) => void;

/** `sample-loops.wat`: addresses in the sample memory, and counts of samples, which are multiples of eight. */
interface Loops {
  widen(frame: number, count: number, sum: number): void;
  add(frame: number, count: number, sum: number): void;
  subtract(sum: number, own: number, count: number, out: number): number;
  scale(
    sum: number,
    own: number,
    count: number,
    out: number,
    before: number,
    step: number,
    ramp: number,
  ): void;
  power(frame: number, count: number): number;
  readonly compressMu: Law;
  readonly expandMu: Law;
  readonly compressA: Law;
  readonly expandA: Law;
  copy(from: number, bytes: number, to: number): void;
}

const instance = new WebAssembly.Instance(new WebAssembly.Module(sampleLoops), { samples: { memory } });
const loops = instance.exports as Loops;
export const { compressMu, expandMu, compressA, expandA } = loops;

/** Samples of 20 ms at 48 kHz. */
export const LONGEST_FRAME = 960;
/** Where arrays in ordinary memory are copied to and from. The sample memory has room for these, because they are its first. */
const stagedSum = allocateSums(LONGEST_FRAME);
const stagedFrame = allocateSamples(LONGEST_FRAME);
const stagedOut = allocateSamples(LONGEST_FRAME);
const stagedBytes = allocateBytes(LONGEST_FRAME);
const silence = allocateSamples(LONGEST_FRAME);

/*
 * A frame and a sum have 20 ms at 8, 16, 24 or 48 kHz: 160, 320, 480 or 960 samples. No loop goes past the end of the shortest array:
 * behind it is the audio of another call.
 */

/** Sets a sum to its first frame. */
export function startSum(sum: Int32Array, frame: Int16Array): void {
  const to = addressOfSums(sum);
  const count = Math.min(frame.length, sum.length);
  loops.widen(frameAt(frame), count, to ?? stagedSum.byteOffset);
  if (to === undefined) bringSum(count, sum);
}

/** Adds a frame to a sum. */
export function addToSum(sum: Int32Array, frame: Int16Array): void {
  const count = Math.min(frame.length, sum.length);
  loops.add(frameAt(frame), count, sumAt(sum));
  if (addressOfSums(sum) === undefined) bringSum(count, sum);
}

/** The largest magnitude in a sum, minus `own` when given. */
export function peakOfSum(sum: Int32Array, own: Int16Array | undefined): number {
  const without = own ?? silence;
  const count = Math.min(sum.length, without.length);
  return loops.subtract(sumAt(sum), frameAt(without), count, stagedOut.byteOffset);
}

/** Writes a sum, minus `own` when given, to `out`, limited to 16 bits; returns the largest magnitude before that. */
export function subtractFromSum(sum: Int32Array, own: Int16Array | undefined, out: Int16Array): number {
  const without = own ?? silence;
  const count = Math.min(sum.length, without.length, out.length);
  const to = addressOfSamples(out);
  const peak = loops.subtract(sumAt(sum), frameAt(without), count, to ?? stagedOut.byteOffset);
  if (to === undefined) copySamples(stagedOut, 0, count, out, 0);
  return peak;
}

/**
 * Writes a sum, minus `own` when given, times a gain to `out`, bent softly at the ceiling. The gain moves from `before` by `step` with
 * each of the first `ramp` samples.
 */
export function scaleSum(
  sum: Int32Array,
  own: Int16Array | undefined,
  out: Int16Array,
  before: number,
  step: number,
  ramp: number,
): void {
  const without = own ?? silence;
  const count = Math.min(sum.length, without.length, out.length);
  const to = addressOfSamples(out);
  loops.scale(sumAt(sum), frameAt(without), count, to ?? stagedOut.byteOffset, before, step, ramp);
  if (to === undefined) copySamples(stagedOut, 0, count, out, 0);
}

/** The mean square of a frame, without its mean. */
export function powerOf(frame: Int16Array): number {
  return loops.power(frameAt(frame), frame.length);
}

/** Encodes `count` samples to `outOffset`, one byte each. */
export function compress(
  law: Law,
  samples: Int16Array,
  count: number,
  out: Uint8Array,
  outOffset: number,
): void {
  const from = addressOfSamples(samples);
  const to = addressOfBytes(out);
  const fits = count <= samples.length && outOffset + count <= out.length;
  if (from !== undefined && to !== undefined && fits && isInEights(count)) {
    law(from, count, to + outOffset);
    return;
  }
  for (let at = 0; at < count; at += LONGEST_FRAME) {
    const piece = Math.min(LONGEST_FRAME, count - at);
    copySamples(samples, at, piece, stagedFrame, 0);
    law(stagedFrame.byteOffset, inEights(piece), stagedBytes.byteOffset);
    copyBytes(stagedBytes, 0, piece, out, outOffset + at);
  }
}

/** Decodes `count` bytes from `offset` to `outOffset`, one sample each. */
export function expand(
  law: Law,
  bytes: Uint8Array,
  offset: number,
  count: number,
  out: Int16Array,
  outOffset: number,
): void {
  const from = addressOfBytes(bytes);
  const to = addressOfSamples(out);
  const fits = offset + count <= bytes.length && outOffset + count <= out.length;
  if (from !== undefined && to !== undefined && fits && isInEights(count)) {
    law(from + offset, count, to + outOffset * 2);
    return;
  }
  for (let at = 0; at < count; at += LONGEST_FRAME) {
    const piece = Math.min(LONGEST_FRAME, count - at);
    copyBytes(bytes, offset + at, piece, stagedBytes, 0);
    law(stagedBytes.byteOffset, inEights(piece), stagedFrame.byteOffset);
    copySamples(stagedFrame, 0, piece, out, outOffset + at);
  }
}

/** Copies `count` samples. A view of a part, as `set` wants it, would be an object for each copy. */
export function copySamples(
  from: Int16Array,
  fromOffset: number,
  count: number,
  to: Int16Array,
  toOffset: number,
): void {
  const source = addressOfSamples(from);
  const target = addressOfSamples(to);
  const fits = fromOffset + count <= from.length && toOffset + count <= to.length;
  if (source !== undefined && target !== undefined && fits)
    loops.copy(source + fromOffset * 2, count * 2, target + toOffset * 2);
  else for (let i = 0; i < count; i++) to[toOffset + i] = from[fromOffset + i]!;
}

/** Copies `count` bytes. */
export function copyBytes(
  from: Uint8Array,
  fromOffset: number,
  count: number,
  to: Uint8Array,
  toOffset: number,
): void {
  const source = addressOfBytes(from);
  const target = addressOfBytes(to);
  const fits = fromOffset + count <= from.length && toOffset + count <= to.length;
  if (source !== undefined && target !== undefined && fits)
    loops.copy(source + fromOffset, count, target + toOffset);
  else for (let i = 0; i < count; i++) to[toOffset + i] = from[fromOffset + i]!;
}

function frameAt(frame: Int16Array): number {
  const address = addressOfSamples(frame);
  if (address !== undefined) return address;
  stagedFrame.set(frame);
  return stagedFrame.byteOffset;
}

function sumAt(sum: Int32Array): number {
  const address = addressOfSums(sum);
  if (address !== undefined) return address;
  stagedSum.set(sum);
  return stagedSum.byteOffset;
}

function bringSum(count: number, sum: Int32Array): void {
  for (let i = 0; i < count; i++) sum[i] = stagedSum[i]!;
}

function isInEights(count: number): boolean {
  return count > 0 && count % 8 === 0;
}

function inEights(count: number): number {
  return Math.ceil(count / 8) * 8;
}
