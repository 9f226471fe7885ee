import type { Clock, Instant } from '@jackfield/ports';

/** A timer of a session, from its start until its `timer-fired` is handled, or it is cancelled or replaced. */
export interface SessionTimer {
  readonly key: string;
  readonly cancel: () => void;
}

/** What the timers of a session need of it. */
export interface SessionTimersDeps {
  readonly clock: Clock;
  /** Puts the timer into the mailbox. */
  fired(timer: SessionTimer): void;
  /** Called with every change in the number of timers. */
  counted(change: number): void;
}

/** The timers of one session, by key. */
export class SessionTimers {
  readonly #deps: SessionTimersDeps;
  /** Undefined before the first one. */
  #timers: Map<string, SessionTimer> | undefined;

  constructor(deps: SessionTimersDeps) {
    this.#deps = deps;
  }

  /** Replaces a timer with the same key. */
  start(key: string, at: Instant): void {
    this.cancel(key);
    const { clock } = this.#deps;
    const timer: SessionTimer = { key, cancel: clock.startTimer(at, () => this.#deps.fired(timer)) };
    this.#timers ??= new Map();
    this.#timers.set(key, timer);
    this.#deps.counted(1);
  }

  cancel(key: string): void {
    const timer = this.#timers?.get(key);
    if (timer === undefined) return;
    this.#timers!.delete(key);
    timer.cancel();
    this.#deps.counted(-1);
  }

  cancelAll(): void {
    for (const key of [...(this.#timers?.keys() ?? [])]) this.cancel(key);
  }

  /** True once for a timer that fired and was neither cancelled nor replaced while its input waited. */
  consume(timer: SessionTimer): boolean {
    if (this.#timers?.get(timer.key) !== timer) return false;
    this.#timers.delete(timer.key);
    this.#deps.counted(-1);
    return true;
  }

  has(key: string): boolean {
    return this.#timers?.has(key) ?? false;
  }
}
