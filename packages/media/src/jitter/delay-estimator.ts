import { timestampDistance } from '../rtp/serial-number.ts';

/** A quarter of a millisecond: on a clean network the whole distribution is within one or two bins. */
const binMs = 0.25;
const bins = 1024;
/**
 * The fastest packet of the last 2–4 s defines zero delay: a shorter window follows the jitter, a longer one the clock
 * drift.
 */
const baseWindowMs = 2000;
/** Deviations of the last 4–8 s count: long enough to remember one burst of Wi-Fi retries until the next. */
const histogramWindowMs = 4000;

const noCounts = new Uint16Array(0);

/**
 * Measures how late packets arrive relative to the fastest recent one, as a histogram of relative transit times. The
 * required delay is a quantile of it. The clock offset cancels out, and slow drift is followed.
 */
export class DelayEstimator {
  /** Packets since the start, counted up to 1,000. */
  observed = 0;
  readonly #msPerUnit: number;
  /** Allocated with the first packet. */
  #recent = noCounts;
  #older = noCounts;
  #recentCount = 0;
  #olderCount = 0;
  /** No packet is in a bin above these: a quantile looks at few bins where packets are even. */
  #recentTop = 0;
  #olderTop = 0;
  #windowMs = 0;
  #baseWindowStartMs = 0;
  #baseRecent = Number.POSITIVE_INFINITY;
  #baseOlder = Number.POSITIVE_INFINITY;
  /** The transit time of bin 0. */
  #binsBase = 0;
  #lastTimestamp = 0;
  /** The last timestamp without wraps, relative to the first packet. */
  #lastUnits = 0;

  constructor(clockRate: number) {
    this.#msPerUnit = 1000 / clockRate;
  }

  /** Restarts with the timestamp of the next observed packet. */
  restart(timestamp: number, arrivalMs: number): void {
    this.observed = 0;
    if (this.#recent === noCounts) {
      const counts = new Uint16Array(2 * bins);
      this.#recent = counts.subarray(0, bins);
      this.#older = counts.subarray(bins);
    } else {
      this.#recent.fill(0);
      this.#older.fill(0);
    }
    this.#recentCount = 0;
    this.#olderCount = 0;
    this.#recentTop = 0;
    this.#olderTop = 0;
    this.#windowMs = arrivalMs;
    this.#baseWindowStartMs = arrivalMs;
    this.#baseRecent = arrivalMs;
    this.#baseOlder = Number.POSITIVE_INFINITY;
    this.#binsBase = arrivalMs;
    this.#lastTimestamp = timestamp;
    this.#lastUnits = 0;
  }

  /**
   * Lateness of a packet with this timestamp that arrives now, relative to the fastest recent one; negative: earlier.
   */
  deviationMs(timestamp: number, arrivalMs: number): number {
    return arrivalMs - this.#mediaMs(timestamp) - this.#base();
  }

  /** When the fastest recent packet would have brought the newest packet's audio. */
  newestMs(): number {
    return this.#lastUnits * this.#msPerUnit + this.#base();
  }

  /** Adds a packet. */
  observe(timestamp: number, arrivalMs: number): void {
    const step = timestampDistance(this.#lastTimestamp, timestamp);
    if (step > 0) {
      this.#lastTimestamp = timestamp;
      this.#lastUnits += step;
    }
    const transit = arrivalMs - this.#mediaMs(timestamp);
    if (arrivalMs - this.#baseWindowStartMs >= baseWindowMs) {
      this.#baseOlder = this.#baseRecent;
      this.#baseRecent = transit;
      this.#baseWindowStartMs = arrivalMs;
    } else if (transit < this.#baseRecent) this.#baseRecent = transit;
    this.#followBase();

    if (arrivalMs - this.#windowMs >= histogramWindowMs) {
      const oldest = this.#older.fill(0, 0, this.#olderTop + 1);
      this.#older = this.#recent;
      this.#olderCount = this.#recentCount;
      this.#olderTop = this.#recentTop;
      this.#recent = oldest;
      this.#recentCount = 0;
      this.#recentTop = 0;
      this.#windowMs = arrivalMs;
    }
    const bin = Math.floor((transit - this.#binsBase) / binMs);
    const index = bin < 0 ? 0 : bin >= bins ? bins - 1 : bin;
    if (this.#recentCount < 0xffff) {
      this.#recent[index] = this.#recent[index]! + 1;
      if (index > this.#recentTop) this.#recentTop = index;
      this.#recentCount++;
    }
    if (this.observed < 1000) this.observed++;
  }

  /** The delay in ms above the fastest packet's within which this share of packets arrives; 0 before any packet. */
  quantileMs(share: number): number {
    if (this.#recent === noCounts) return 0;
    const allowed = Math.floor((this.#recentCount + this.#olderCount) * (1 - share));
    let above = 0;
    for (let bin = Math.max(this.#recentTop, this.#olderTop); bin >= 0; bin--) {
      above += this.#recent[bin]! + this.#older[bin]!;
      if (above > allowed) return (bin + 1) * binMs;
    }
    return 0;
  }

  /** The media clock in ms since the first packet; leaves the last timestamp unchanged. */
  #mediaMs(timestamp: number): number {
    return (this.#lastUnits + timestampDistance(this.#lastTimestamp, timestamp)) * this.#msPerUnit;
  }

  #base(): number {
    return this.#baseRecent < this.#baseOlder ? this.#baseRecent : this.#baseOlder;
  }

  /** Bins are relative to the base: when the base moves, the counts move the other way. */
  #followBase(): void {
    const shift = Math.trunc((this.#base() - this.#binsBase) / binMs);
    if (shift === 0) return;
    this.#binsBase += shift * binMs;
    shiftBins(this.#recent, shift);
    shiftBins(this.#older, shift);
    this.#recentTop = shiftedTop(this.#recentTop, shift);
    this.#olderTop = shiftedTop(this.#olderTop, shift);
  }
}

function shiftedTop(top: number, shift: number): number {
  return Math.max(0, Math.min(bins - 1, top - shift));
}

function shiftBins(counts: Uint16Array, shift: number): void {
  const distance = Math.min(Math.abs(shift), bins);
  let overrun = 0;
  if (shift > 0) {
    for (let i = 0; i < distance; i++) overrun += counts[i]!;
    counts.copyWithin(0, distance);
    counts.fill(0, bins - distance);
    counts[0] = counts[0]! + overrun;
    return;
  }
  for (let i = bins - distance; i < bins; i++) overrun += counts[i]!;
  counts.copyWithin(distance, 0);
  counts.fill(0, 0, distance);
  counts[bins - 1] = counts[bins - 1]! + overrun;
}
