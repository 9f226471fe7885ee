/*
 * Packet-loss concealment by repeating the pitch period, after the description in ITU-T G.711 Appendix I. The appendix
 * delays all audio by 3.75 ms to smooth the start of an erasure. This code adds no delay: it carries the step at the
 * seam over and fades it out.
 *
 *   history ……|··period··|··period··|··period··|  erasure: 0–10 ms one period repeated, 10–20 ms two, then three;
 *                                                20 % quieter every 10 ms after the first, silence from 60 ms on
 */

import { copySamples } from '../samples/sample-loops.ts';
import { allocateSamples } from '../samples/sample-memory.ts';

const pitchMinMs = 5;
const pitchMaxMs = 15;
/** Length of the speech that the pitch search compares with its past. */
const matchMs = 20;

const none = new Int16Array(0);

/** Conceals the gaps of one stream with its earlier audio. */
export class Concealment {
  /** Samples concealed since the last real one; 0 outside an erasure. */
  erased = 0;
  /** The last played samples, a ring whose oldest sample is at `#oldest`; allocated with the first of them. */
  #history: Int16Array = none;
  #oldest = 0;
  readonly #historyLength: number;
  /** The history at the start of an erasure; most streams never have one. */
  #frozen: Int16Array = none;
  #isMuted = false;
  readonly #perMs: number;
  readonly #pitchMin: number;
  readonly #pitchMax: number;
  #active = false;
  #period = 0;
  #quarter = 0;
  /** Length of the repeated stretch, and the position in it. */
  #cycle = 0;
  #position = 0;
  /** The stretch that a cross-fade leaves: its length, the position in it, and the samples left. */
  #leavingCycle = 0;
  #leavingPosition = 0;
  #leavingLeft = 0;
  #seam = 0;

  constructor(sampleRate: number) {
    this.#perMs = sampleRate / 1000;
    this.#pitchMin = Math.round(pitchMinMs * this.#perMs);
    this.#pitchMax = Math.round(pitchMaxMs * this.#perMs);
    // Three of the longest periods, and the quarter period that is blended before them.
    this.#historyLength = this.#pitchMax * 3 + (this.#pitchMax >> 2) + 1;
  }

  /** All audio is silence until further notice: nothing is recorded, and the memory for it is given back. */
  get isMuted(): boolean {
    return this.#isMuted;
  }

  set isMuted(isMuted: boolean) {
    if (isMuted === this.#isMuted) return;
    this.#isMuted = isMuted;
    this.#history = none;
    this.#frozen = none;
    this.#active = false;
    this.erased = 0;
  }

  /** True from the first concealed sample to the cross-fade into real ones. */
  get active(): boolean {
    return this.#active;
  }

  /** True when the erasure has lasted so long that only silence follows. */
  get isSilent(): boolean {
    return this.#active && this.erased >= 60 * this.#perMs;
  }

  /** Records played samples, real or concealed. */
  record(samples: Int16Array, from: number, to: number): void {
    if (this.#isMuted) return;
    if (this.#history === none) this.#history = allocateSamples(this.#historyLength);
    const history = this.#history;
    const size = history.length;
    const first = to - from < size ? from : to - size;
    const count = to - first;
    const untilEnd = Math.min(count, size - this.#oldest);
    copySamples(samples, first, untilEnd, history, this.#oldest);
    if (untilEnd < count) copySamples(samples, first + untilEnd, count - untilEnd, history, 0);
    this.#oldest = (this.#oldest + count) % size;
  }

  /** Prepares a cross-fade for a discontinuity without missing samples. */
  bridge(): void {
    if (!this.#active) this.#begin();
  }

  /** Conceals `count` samples at `offset`. */
  conceal(out: Int16Array, offset: number, count: number): void {
    if (!this.#active) this.#begin();
    if (this.isSilent || this.#isMuted) {
      out.fill(0, offset, offset + count);
      this.erased += count;
    } else for (let i = offset; i < offset + count; i++) out[i] = this.#next();
  }

  /** Cross-fades from concealment into the `count` real samples at `offset`; ends the erasure. */
  merge(out: Int16Array, offset: number, count: number): void {
    // G.711 Appendix I: a quarter period, plus 4 ms for each 10 ms of erasure, at most 10 ms.
    const needed = this.#quarter + Math.floor(this.erased / (10 * this.#perMs)) * 4 * this.#perMs;
    const length = this.#isMuted ? 0 : Math.min(count, needed, 10 * this.#perMs);
    for (let i = 0; i < length; i++) {
      const real = (i + 1) / (length + 1);
      out[offset + i] = this.#next() * (1 - real) + out[offset + i]! * real;
    }
    this.#active = false;
    this.erased = 0;
  }

  reset(): void {
    this.#active = false;
    this.erased = 0;
    if (this.#history !== none) this.#history.fill(0);
  }

  #begin(): void {
    this.#active = true;
    this.erased = 0;
    if (this.#isMuted) return;
    if (this.#history === none) this.#history = allocateSamples(this.#historyLength);
    if (this.#frozen === none) this.#frozen = new Int16Array(this.#historyLength);
    const size = this.#historyLength;
    let at = this.#oldest;
    for (let i = 0; i < size; i++) {
      this.#frozen[i] = this.#history[at]!;
      if (++at === size) at = 0;
    }
    this.#period = this.#findPitch();
    this.#quarter = this.#period >> 2;
    this.#cycle = this.#period;
    this.#position = 0;
    this.#leavingLeft = 0;
    this.#seam = this.#frozen[size - 1]! - this.#frozen[size - 1 - this.#period]!;
  }

  #next(): number {
    const tenMs = 10 * this.#perMs;
    const n = this.erased++;
    if (n === Math.floor(tenMs) || n === Math.floor(tenMs * 2)) this.#lengthenCycle();
    let sample = this.#at(this.#cycle, this.#position);
    if (++this.#position >= this.#cycle) this.#position = 0;
    if (this.#leavingLeft > 0) {
      const leaving = this.#leavingLeft-- / (this.#quarter + 1);
      sample = sample * (1 - leaving) + this.#at(this.#leavingCycle, this.#leavingPosition) * leaving;
      if (++this.#leavingPosition >= this.#leavingCycle) this.#leavingPosition = 0;
    }
    if (n < this.#quarter) sample += this.#seam * (1 - (n + 1) / (this.#quarter + 1));
    if (n > tenMs) sample *= Math.max(0, 1 - (0.2 * (n - tenMs)) / tenMs);
    return sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample;
  }

  /** Adds a period at the same phase, so that a long erasure sounds less like a buzz. */
  #lengthenCycle(): void {
    this.#leavingCycle = this.#cycle;
    this.#leavingPosition = this.#position;
    this.#leavingLeft = this.#quarter;
    this.#position %= this.#period;
    this.#cycle += this.#period;
  }

  /**
   * A sample of the repeated stretch. Its last quarter period blends into what precedes its start, so that the wrap has
   * no step.
   */
  #at(cycle: number, position: number): number {
    const size = this.#frozen.length;
    const intoBlend = position - (cycle - this.#quarter);
    if (intoBlend < 0) return this.#frozen[size - cycle + position]!;
    const earlier = (intoBlend + 1) / (this.#quarter + 1);
    return (
      this.#frozen[size - this.#quarter + intoBlend]! * (1 - earlier) +
      this.#frozen[size - cycle - this.#quarter + intoBlend]! * earlier
    );
  }

  /** The lag with the greatest normalised correlation: searched at about 4 kHz, then refined at the full rate. */
  #findPitch(): number {
    const coarse = Math.max(1, Math.round(this.#perMs / 4));
    let best = this.#pitchMax;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (let lag = this.#pitchMin; lag <= this.#pitchMax; lag += coarse) {
      const score = this.#likeness(lag, coarse);
      if (score > bestScore) {
        bestScore = score;
        best = lag;
      }
    }
    const from = Math.max(this.#pitchMin, best - coarse + 1);
    const to = Math.min(this.#pitchMax, best + coarse - 1);
    bestScore = Number.NEGATIVE_INFINITY;
    for (let lag = from; lag <= to; lag++) {
      const score = this.#likeness(lag, 1);
      if (score > bestScore) {
        bestScore = score;
        best = lag;
      }
    }
    return best;
  }

  #likeness(lag: number, stride: number): number {
    const history = this.#frozen;
    const size = history.length;
    let product = 0;
    let energy = 1;
    for (let i = size - Math.round(matchMs * this.#perMs); i < size; i += stride) {
      const past = history[i - lag]!;
      product += history[i]! * past;
      energy += past * past;
    }
    return product / Math.sqrt(energy);
  }
}
