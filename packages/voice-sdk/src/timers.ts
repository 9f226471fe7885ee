import type { Clock } from './environment.ts';

/** The running timers of one machine, by name. */
export class Timers<Key extends string> {
  readonly #clock: Clock;
  readonly #fired: (key: Key) => void;
  readonly #running = new Map<Key, () => void>();

  constructor(clock: Clock, fired: (key: Key) => void) {
    this.#clock = clock;
    this.#fired = fired;
  }

  /** Starts a timer; a running one of that name is replaced. */
  start(key: Key, at: number): void {
    this.stop(key);
    const cancel = this.#clock.startTimer(at, () => {
      this.#running.delete(key);
      this.#fired(key);
    });
    this.#running.set(key, cancel);
  }

  stop(key: Key): void {
    this.#running.get(key)?.();
    this.#running.delete(key);
  }

  stopAll(): void {
    for (const key of this.#running.keys()) this.stop(key);
  }
}
