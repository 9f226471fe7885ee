/** Blocks of 10 ms: 300 ms, in which the level of speech changes, and the minimum for a decision. */
const HISTORY = 30;
const LEAST_HISTORY = 10;
/** White noise of a telephone varies by less than 2 dB in 300 ms; syllables differ by more than 10. */
const STEADY_DB = 3;
/** Thresholds for RNNoise's probability: held vowels are above the first; steady noise reaches 0.9. */
const SURE = 0.97;
const LIKELY = 0.5;
/** The gate stays open for 200 ms after a voice, to keep the ends of syllables. */
const HANGOVER = 20;
/** The gate closes within 80 ms and opens within one block. */
const CLOSING = 1 / 8;

/**
 * Distinguishes voice from noise in each block, by RNNoise's probability and by whether the level varies as in
 * syllables. RNNoise alone needs seconds to suppress steady noise, and never suppresses some noises.
 */
export class NoiseGate {
  readonly #levels = new Float64Array(HISTORY);
  #count = 0;
  #left = 0;
  #gain = 0;

  /** The gain at the end of this block: 0 for noise, 1 for voice. It begins at 0. */
  next(power: number, probability: number): number {
    this.#levels[this.#count++ % HISTORY] = 10 * Math.log10(power + 1);
    if (probability >= SURE) this.#left = HANGOVER;
    else if (this.#isSteady()) this.#left = 0;
    else if (probability >= LIKELY) this.#left = HANGOVER;
    else if (this.#left > 0) this.#left--;
    this.#gain = this.#left > 0 ? 1 : Math.max(0, this.#gain - CLOSING);
    return this.#gain;
  }

  #isSteady(): boolean {
    const count = Math.min(this.#count, HISTORY);
    if (count < LEAST_HISTORY) return false;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const level = this.#levels[i]!;
      if (level < least) least = level;
      if (level > most) most = level;
    }
    return most - least < STEADY_DB;
  }
}
