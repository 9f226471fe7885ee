import type { Instant } from '@jackfield/ports';

/** The delay of the refusal after a failed authentication; times in milliseconds. */
export interface FailureDelayLimits {
  /** Failures of one source and user that are answered at once, 3: typing mistakes. */
  readonly failuresAnsweredAtOnce: number;
  /** The first delay, 1,000; each later one is twice as long. */
  readonly firstDelayMs: number;
  /**
   * The longest delay, 8,000: it limits a phone to seven failures a minute, below the 20 that ban. Some phones repeat a password 20 times
   * before they report the failure. A phone waits 32 s for an answer (RFC 3261 Timer F).
   */
  readonly maxDelayMs: number;
  /** After 600,000 without a failure the next one counts as the first. */
  readonly forgetMs: number;
  /** Pairs of source and user that are remembered; the pair whose last failure is oldest is forgotten first. */
  readonly maxRemembered: number;
}

/** The default limits. */
export const defaultFailureDelays: Omit<FailureDelayLimits, 'maxRemembered'> = {
  failuresAnsweredAtOnce: 3,
  firstDelayMs: 1_000,
  maxDelayMs: 8_000,
  forgetMs: 600_000,
};

interface Failures {
  count: number;
  at: Instant;
}

/**
 * Growing delays for repeated failures of one source and user. Each nonce gives a wrong password another digest, so repetitions look the
 * same as guesses. A phone that waits for each answer stays below the failures that ban; a phone that does not wait is banned.
 */
export class FailureDelays {
  readonly #limits: FailureDelayLimits;
  readonly #failures = new Map<string, Failures>();

  constructor(limits: FailureDelayLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#failures.size;
  }

  /** Counts a failure; returns the delay of its refusal. */
  failed(source: string, username: string, now: Instant): number {
    const { failuresAnsweredAtOnce, firstDelayMs, maxDelayMs, forgetMs, maxRemembered } = this.#limits;
    const key = `${source} ${username}`;
    const before = this.#failures.get(key);
    const count = before === undefined || now - before.at >= forgetMs ? 1 : before.count + 1;
    // A Map keeps the order of insertion: its first key has the oldest last failure.
    if (!this.#failures.delete(key) && this.#failures.size >= maxRemembered) {
      this.#failures.delete(this.#failures.keys().next().value!);
    }
    this.#failures.set(key, { count, at: now });
    const waits = count - failuresAnsweredAtOnce;
    return waits <= 0 ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(waits - 1, 30));
  }

  /** The password was right: the next failure counts as the first. */
  succeeded(source: string, username: string): void {
    this.#failures.delete(`${source} ${username}`);
  }
}
