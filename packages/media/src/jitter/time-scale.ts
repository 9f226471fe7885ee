/**
 * Shortens or lengthens audio by a repeating stretch (a pitch period, or anything quiet), with one overlap-add:
 * waveform-similarity overlap-add (WSOLA) at one position.
 */
export class TimeScale {
  /** The lag found by `search`, in samples. */
  lag = 0;
  /** Likeness of the signal at that lag: 1 identical, 0 unrelated. */
  likeness = 0;
  /** Samples compared and cross-faded: 10 ms. */
  readonly window: number;
  /** A shorter repetition, below 2.5 ms, hums. */
  readonly minLag: number;
  readonly #quietEnergy: number;

  constructor(sampleRate: number) {
    this.window = Math.round(sampleRate / 100);
    this.minLag = Math.round(sampleRate / 400);
    // −54 dBFS: below speech, above the noise floor of a quiet line.
    this.#quietEnergy = 65 * 65 * this.window;
  }

  /**
   * Finds the lag up to `maxLag` at which the start of `pcm` is most similar; of equally good lags the longest. A lag
   * must leave at least `minLag` of `total`, or nothing. `pcm` must hold `maxLag + window` samples. Quiet audio is
   * similar at any lag.
   */
  search(pcm: Int16Array, total: number, maxLag: number): void {
    const { window, minLag } = this;
    const longest = total <= maxLag ? total : Math.max(Math.min(maxLag, total - minLag), 1);
    let own = 0;
    let past = 0;
    for (let i = 0; i < window; i++) {
      own += pcm[i]! * pcm[i]!;
      past += pcm[longest + i]! * pcm[longest + i]!;
    }
    this.lag = longest;
    this.likeness = 1;
    if (own < this.#quietEnergy && past < this.#quietEnergy) return;
    this.likeness = -1;
    for (let lag = longest; lag === longest || lag >= minLag; lag--) {
      if (lag === total || total - lag >= minLag) {
        let product = 0;
        for (let i = 0; i < window; i++) product += pcm[i]! * pcm[lag + i]!;
        const likeness = product / (Math.sqrt(own * past) + 1);
        // A shorter lag must be clearly better, because each further step needs another cross-fade.
        if (likeness > this.likeness + 0.02) {
          this.likeness = likeness;
          this.lag = lag;
        }
      }
      if (lag === 0) break;
      past += pcm[lag - 1]! * pcm[lag - 1]! - pcm[lag + window - 1]! * pcm[lag + window - 1]!;
    }
  }

  /** Shortens or lengthens the `length` samples in `pcm` by the lag found by `search`; returns the new length. */
  apply(pcm: Int16Array, length: number, shortens: boolean): number {
    return shortens ? this.shorten(pcm, length, this.lag) : this.lengthen(pcm, length, this.lag);
  }

  /** Removes `lag` samples at the start of the `length` in `pcm`; returns the new length. */
  shorten(pcm: Int16Array, length: number, lag: number): number {
    const { window } = this;
    for (let i = 0; i < window; i++) {
      const later = (i + 1) / (window + 1);
      pcm[i] = pcm[i]! * (1 - later) + pcm[lag + i]! * later;
    }
    pcm.copyWithin(window, window + lag, length);
    return length - lag;
  }

  /** Repeats the first `lag` of the `length` samples in `pcm`; returns the new length, for which `pcm` has room. */
  lengthen(pcm: Int16Array, length: number, lag: number): number {
    const { window } = this;
    pcm.copyWithin(lag, 0, length);
    // Index lag + i now holds the old pcm[i], and 2·lag + i holds the old pcm[lag + i], which is read before it is
    // overwritten.
    for (let i = 0; i < window; i++) {
      const repeated = (i + 1) / (window + 1);
      pcm[lag + i] = pcm[2 * lag + i]! * (1 - repeated) + pcm[lag + i]! * repeated;
    }
    return length + lag;
  }
}
