/**
 * Shortens or lengthens audio by a stretch that repeats itself (a pitch period, or anything where it is quiet), with one
 * overlap-add: waveform-similarity overlap-add at a single place.
 */
export class TimeScale {
  /** The lag that `search` found, in samples. */
  lag = 0;
  /** How alike the signal is at that lag: 1 identical, 0 unrelated. */
  likeness = 0;
  /** Samples that are compared, and over which the fade goes: 10 ms. */
  readonly window: number;
  /** Below 2.5 ms a repetition hums. */
  readonly minLag: number;
  readonly #quietEnergy: number;

  constructor(sampleRate: number) {
    this.window = Math.round(sampleRate / 100);
    this.minLag = Math.round(sampleRate / 400);
    // −54 dBFS: below speech, above a quiet line's noise floor.
    this.#quietEnergy = 65 * 65 * this.window;
  }

  /**
   * Looks for the lag up to `maxLag` at which the start of `pcm` resembles itself best; of equally good ones the longest.
   * No lag is chosen that would leave less than `minLag` of `total` to be done, save `total` itself. `pcm` must hold
   * `maxLag + window` samples. Quiet audio resembles everything.
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
        // A shorter lag must be clearly better, because every further step costs another fade.
        if (likeness > this.likeness + 0.02) {
          this.likeness = likeness;
          this.lag = lag;
        }
      }
      if (lag === 0) break;
      past += pcm[lag - 1]! * pcm[lag - 1]! - pcm[lag + window - 1]! * pcm[lag + window - 1]!;
    }
  }

  /** Shortens or lengthens the `length` samples in `pcm` by the lag that `search` found; returns the new length. */
  apply(pcm: Int16Array, length: number, shortens: boolean): number {
    return shortens ? this.shorten(pcm, length, this.lag) : this.lengthen(pcm, length, this.lag);
  }

  /** Takes `lag` samples out at the start of the `length` in `pcm`; returns the new length. */
  shorten(pcm: Int16Array, length: number, lag: number): number {
    const { window } = this;
    for (let i = 0; i < window; i++) {
      const later = (i + 1) / (window + 1);
      pcm[i] = pcm[i]! * (1 - later) + pcm[lag + i]! * later;
    }
    pcm.copyWithin(window, window + lag, length);
    return length - lag;
  }

  /** Plays the first `lag` of the `length` samples in `pcm` twice; returns the new length, for which `pcm` has room. */
  lengthen(pcm: Int16Array, length: number, lag: number): number {
    const { window } = this;
    pcm.copyWithin(lag, 0, length);
    // At lag + i lies the old pcm[i]; the old pcm[lag + i] has moved on to 2·lag + i, and is read before it is written over.
    for (let i = 0; i < window; i++) {
      const repeated = (i + 1) / (window + 1);
      pcm[lag + i] = pcm[2 * lag + i]! * (1 - repeated) + pcm[lag + i]! * repeated;
    }
    return length + lag;
  }
}
