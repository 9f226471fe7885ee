import { quantile } from '../measure.ts';

/** What became of the units of one kind that were due in a run. */
export interface PacedOutcome {
  /** Units that were due. */
  readonly due: number;
  /** Those that ended before the run did. */
  readonly reached: number;
  readonly failures: number;
  /** From the time when a unit was due to its end. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A unit beyond so many in flight is not begun: the kind has fallen behind, and its memory stays bounded. */
const mostInFlight = 2_000;

/**
 * Begins units at a steady rate, whether or not earlier ones have ended: who waits for the end of a unit before the next one measures a
 * slower load than was asked for.
 */
export class PacedUnits {
  readonly #perSecond: number;
  readonly #begin: () => Promise<void>;
  readonly #times: number[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #due = 0;
  #begun = 0;
  #failures = 0;

  constructor(perSecond: number, begin: () => Promise<void>) {
    this.#perSecond = perSecond;
    this.#begin = begin;
  }

  /** Begins what is due `elapsedMs` after the beginning, which was at `beganAt` by `performance.now()`. */
  advance(beganAt: number, elapsedMs: number): void {
    this.#due = Math.floor((elapsedMs / 1000) * this.#perSecond);
    while (this.#begun < this.#due && this.#inFlight.size < mostInFlight) {
      const dueAt = beganAt + (++this.#begun * 1000) / this.#perSecond;
      const unit: Promise<void> = this.#begin()
        .then(
          () => void this.#times.push(performance.now() - dueAt),
          () => void this.#failures++,
        )
        .finally(() => this.#inFlight.delete(unit));
      this.#inFlight.add(unit);
    }
  }

  /** Up to now. */
  get outcome(): PacedOutcome {
    const sorted = Float64Array.from(this.#times).sort();
    return {
      due: this.#due,
      reached: sorted.length,
      failures: this.#failures,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
    };
  }

  async settled(): Promise<void> {
    await Promise.all(this.#inFlight);
  }
}
