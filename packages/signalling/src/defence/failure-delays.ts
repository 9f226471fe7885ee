import type { Instant } from '@jackfield/ports';

/** How long the refusal of a failed authentication waits; times in milliseconds. */
export interface FailureDelayLimits {
  /** Failures of one source as one user that are answered at once, 3: typing mistakes. */
  readonly failuresAnsweredAtOnce: number;
  /** The wait of the next one, 1,000; each later one waits twice as long. */
  readonly firstDelayMs: number;
  /**
   * The longest, 8,000: seven failures a minute of one phone stay far below the 20 that ban, and some phones repeat a password 20 times
   * before they tell their user. A phone waits 32 s for an answer (RFC 3261 Timer F).
   */
  readonly maxDelayMs: number;
  /** After this time without a failure, 600,000, the next one is the first again. */
  readonly forgetMs: number;
  /** Pairs of source and user that are remembered; the one that failed longest ago is forgotten first. */
  readonly maxRemembered: number;
}

/** Limits used where the caller names none. */
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
 * Growing waits for a source that fails again and again as one user. A digest of the same wrong password is another one for each nonce, so
 * repetitions cannot be told from guesses. A phone that repeats its password waits for each answer, and so stays below the number of failures
 * that bans; a phone that does not wait reaches it.
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

  /** Counts a failure; how long its refusal is to wait. */
  failed(source: string, username: string, now: Instant): number {
    const { failuresAnsweredAtOnce, firstDelayMs, maxDelayMs, forgetMs, maxRemembered } = this.#limits;
    const key = `${source} ${username}`;
    const before = this.#failures.get(key);
    const count = before === undefined || now - before.at >= forgetMs ? 1 : before.count + 1;
    // A Map keeps the order of insertion: its first key is the one that failed longest ago.
    if (!this.#failures.delete(key) && this.#failures.size >= maxRemembered) {
      this.#failures.delete(this.#failures.keys().next().value!);
    }
    this.#failures.set(key, { count, at: now });
    const waits = count - failuresAnsweredAtOnce;
    return waits <= 0 ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(waits - 1, 30));
  }

  /** The right password came: its next mistake is the first one. */
  succeeded(source: string, username: string): void {
    this.#failures.delete(`${source} ${username}`);
  }
}
