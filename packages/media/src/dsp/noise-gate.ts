/** Of 10 ms blocks: 300 ms in which speech changes its level, and the least that is judged. */
const HISTORY = 30;
const LEAST_HISTORY = 10;
/** White noise of a telephone keeps within 2 dB for 300 ms; syllables differ by more than 10. */
const STEADY_DB = 3;
/** Probabilities of RNNoise: a vowel that is held is above the one; steady noise is up to 0.9. */
const SURE = 0.97;
const LIKELY = 0.5;
/** Blocks that the gate stays open behind a voice: 200 ms, so that no syllable loses its end. */
const HANGOVER = 20;
/** Closes within 80 ms, opens within one block. */
const CLOSING = 1 / 8;

/**
 * Tells voice from noise, block by block: from how likely a voice is (RNNoise says), and from whether the level changes as syllables change
 * it. RNNoise alone takes up to seconds to suppress steady noise, and some noises it never does.
 */
export class NoiseGate {
  readonly #levels = new Float64Array(HISTORY);
  #count = 0;
  #left = 0;
  #gain = 0;

  /** The gain at the end of this block, 0 for noise alone and 1 for a voice; before the first block it is 0. */
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
