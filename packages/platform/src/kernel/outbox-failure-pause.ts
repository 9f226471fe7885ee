import type { Clock } from '@jackfield/ports';

/** Pauses work whose write failed, so that a database that is out of order is not asked again and again. */
export class FailurePause {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  constructor(clock: Clock, pauseMs: number) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  wait(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#ends.delete(end);
        resolve();
      };
      const cancel = this.#clock.startTimer(this.#clock.now() + this.#pauseMs, end);
      this.#ends.add(end);
    });
  }

  /** Ends every pause; later ones end at once. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }
}
