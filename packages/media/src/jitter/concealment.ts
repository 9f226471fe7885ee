/*
 * Packet-loss concealment by repeating the pitch period, in the manner of ITU-T G.711 Appendix I, written from its
 * description. It adds no delay: where the appendix delays all audio by 3.75 ms to smooth the start of an erasure, the
 * step at the seam is carried over and faded out.
 *
 *   history ……|··period··|··period··|··period··|  erasure: 0–10 ms one period repeated, 10–20 ms two, then three;
 *                                                20 % quieter every 10 ms after the first, silence from 60 ms on
 */

const pitchMinMs = 5;
const pitchMaxMs = 15;
/** Speech that is compared with its past to find the pitch. */
const matchMs = 20;

/** Conceals what is missing in one stream from what was played before. */
export class Concealment {
  /** Samples made up since the last real one; 0 when none are. */
  erased = 0;
  readonly #history: Int16Array;
  readonly #frozen: Int16Array;
  readonly #perMs: number;
  readonly #pitchMin: number;
  readonly #pitchMax: number;
  #active = false;
  #period = 0;
  #quarter = 0;
  /** Length of what is repeated, and the place in it. */
  #cycle = 0;
  #place = 0;
  /** The cycle that is being left by a cross-fade, and how far that is. */
  #leavingCycle = 0;
  #leavingPlace = 0;
  #leavingLeft = 0;
  #seam = 0;

  constructor(sampleRate: number) {
    this.#perMs = sampleRate / 1000;
    this.#pitchMin = Math.round(pitchMinMs * this.#perMs);
    this.#pitchMax = Math.round(pitchMaxMs * this.#perMs);
    // Three of the longest periods and the quarter that is blended before them.
    const length = this.#pitchMax * 3 + (this.#pitchMax >> 2) + 1;
    this.#history = new Int16Array(length);
    this.#frozen = new Int16Array(length);
  }

  /** True between the first made-up sample and the cross-fade into real ones. */
  get active(): boolean {
    return this.#active;
  }

  /** True when the erasure has lasted so long that only silence follows. */
  get isSilent(): boolean {
    return this.#active && this.erased >= 60 * this.#perMs;
  }

  /** Remembers samples that went out, real or made up. */
  record(samples: Int16Array, from: number, to: number): void {
    const history = this.#history;
    const size = history.length;
    const count = to - from < size ? to - from : size;
    history.copyWithin(0, count);
    for (let i = 0; i < count; i++) history[size - count + i] = samples[to - count + i]!;
  }

  /** Prepares a cross-fade although nothing was missing: what follows does not continue what was played. */
  bridge(): void {
    if (!this.#active) this.#begin();
  }

  /** Makes up `count` samples at `offset`. */
  conceal(out: Int16Array, offset: number, count: number): void {
    if (!this.#active) this.#begin();
    if (this.isSilent) {
      out.fill(0, offset, offset + count);
      this.erased += count;
    } else for (let i = offset; i < offset + count; i++) out[i] = this.#next();
  }

  /** Cross-fades from the made-up signal into the real samples at `offset`, of which there are `count`; ends the erasure. */
  merge(out: Int16Array, offset: number, count: number): void {
    // G.711 Appendix I: a quarter period, 4 ms more for every 10 ms of erasure, 10 ms at most.
    const wanted = this.#quarter + Math.floor(this.erased / (10 * this.#perMs)) * 4 * this.#perMs;
    const length = Math.min(count, wanted, 10 * this.#perMs);
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
    this.#history.fill(0);
  }

  #begin(): void {
    this.#active = true;
    this.erased = 0;
    this.#frozen.set(this.#history);
    const size = this.#frozen.length;
    this.#period = this.#findPitch();
    this.#quarter = this.#period >> 2;
    this.#cycle = this.#period;
    this.#place = 0;
    this.#leavingLeft = 0;
    this.#seam = this.#frozen[size - 1]! - this.#frozen[size - 1 - this.#period]!;
  }

  #next(): number {
    const tenMs = 10 * this.#perMs;
    const n = this.erased++;
    if (n === Math.floor(tenMs) || n === Math.floor(tenMs * 2)) this.#lengthenCycle();
    let sample = this.#at(this.#cycle, this.#place);
    if (++this.#place >= this.#cycle) this.#place = 0;
    if (this.#leavingLeft > 0) {
      const leaving = this.#leavingLeft-- / (this.#quarter + 1);
      sample = sample * (1 - leaving) + this.#at(this.#leavingCycle, this.#leavingPlace) * leaving;
      if (++this.#leavingPlace >= this.#leavingCycle) this.#leavingPlace = 0;
    }
    if (n < this.#quarter) sample += this.#seam * (1 - (n + 1) / (this.#quarter + 1));
    if (n > tenMs) sample *= Math.max(0, 1 - (0.2 * (n - tenMs)) / tenMs);
    return sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample;
  }

  /** One period more, at the same phase, so that a long erasure sounds less like a buzz. */
  #lengthenCycle(): void {
    this.#leavingCycle = this.#cycle;
    this.#leavingPlace = this.#place;
    this.#leavingLeft = this.#quarter;
    this.#place %= this.#period;
    this.#cycle += this.#period;
  }

  /** The repeated stretch; its last quarter period turns into what precedes its start, so that the wrap has no step. */
  #at(cycle: number, place: number): number {
    const size = this.#frozen.length;
    const intoBlend = place - (cycle - this.#quarter);
    if (intoBlend < 0) return this.#frozen[size - cycle + place]!;
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
