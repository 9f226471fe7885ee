import type { Clock } from '@jackfield/ports';

/** Pauses that double from the first value to the second while the peer says "too fast". */
export class Throttle {
  readonly #clock: Clock;
  readonly #pausesMs: readonly [number, number];
  #nextMs: number;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, pausesMs: readonly [number, number]) {
    this.#clock = clock;
    this.#pausesMs = pausesMs;
    this.#nextMs = pausesMs[0];
  }

  get isPaused(): boolean {
    return this.#cancel !== undefined;
  }

  /** Starts a pause, unless one runs; calls `resume` at its end. */
  pause(resume: () => void): void {
    if (this.#cancel !== undefined) return;
    this.#cancel = this.#clock.startTimer(this.#clock.now() + this.#nextMs, () => {
      this.#cancel = undefined;
      resume();
    });
    this.#nextMs = Math.min(this.#nextMs * 2, this.#pausesMs[1]);
  }

  /** The peer accepts the rate again: the next pause is the shortest. */
  reset(): void {
    this.#nextMs = this.#pausesMs[0];
  }

  /** Ends a pause without resuming. */
  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
