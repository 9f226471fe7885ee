import type { Clock, Instant, Logger } from '@jackfield/ports';

/** Reads what is due and resolves with the instant of the next look. */
export type Look = () => Promise<Instant>;

/** When the outbox looks for due events: at the earliest requested instant, one look at a time. */
export class LookSchedule {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #retryMs: number;
  #look: Look | undefined;
  #timer: { readonly at: Instant; readonly cancel: () => void } | undefined;
  #looking: Promise<void> | undefined;
  #isRequested = false;
  #isClosed = false;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }, retryMs: number) {
    this.#clock = clock;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  /** The look that is going on. */
  get looking(): Promise<void> | undefined {
    return this.#looking;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Begins with a look; once. */
  start(look: Look): void {
    this.#look = look;
    this.wake();
  }

  /** Looks at once, or right after the look that is going on. */
  wake(): void {
    if (this.#isClosed || this.#look === undefined) return;
    if (this.#looking !== undefined) {
      this.#isRequested = true;
      return;
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#isRequested = false;
    this.#looking = this.#look().then(
      (next) => this.#ended(next),
      (err: unknown) => this.#failed(err),
    );
  }

  /** Looks at `at`, unless a look is due earlier. */
  wakeAt(at: Instant): void {
    if (this.#isClosed || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#timer?.cancel();
    const cancel = this.#clock.startTimer(at, () => {
      this.#timer = undefined;
      this.wake();
    });
    this.#timer = { at, cancel };
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #ended(next: Instant): void {
    this.#looking = undefined;
    if (this.#isRequested) this.wake();
    else this.wakeAt(next);
  }

  /** A requested look waits as well: it would fail like this one. */
  #failed(err: unknown): void {
    this.#log.error({ err, retryMs: this.#retryMs }, 'outbox not read; retried later');
    this.#isRequested = false;
    this.#ended(this.#clock.now() + this.#retryMs);
  }
}
