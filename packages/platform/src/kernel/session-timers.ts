import type { Clock, Instant } from '@jackfield/ports';

/** A timer of a session, from its start until its `timer-fired` is handled, or it is cancelled or replaced. */
export interface SessionTimer {
  readonly key: string;
  readonly cancel: () => void;
}

/** The timers of one session, by key. */
export interface SessionTimers {
  /** Replaces a timer with the same key. */
  start(key: string, at: Instant): void;
  cancel(key: string): void;
  cancelAll(): void;
  /** True once for a timer that fired and was neither cancelled nor replaced while its input waited. */
  consume(timer: SessionTimer): boolean;
  has(key: string): boolean;
}

/** `fired` puts the timer into the mailbox; `counted` is called with every change in the number of timers. */
export function createSessionTimers(
  clock: Clock,
  fired: (timer: SessionTimer) => void,
  counted: (change: number) => void,
): SessionTimers {
  const timers = new Map<string, SessionTimer>();

  function cancel(key: string): void {
    const timer = timers.get(key);
    if (timer === undefined) return;
    timers.delete(key);
    timer.cancel();
    counted(-1);
  }

  return {
    start(key, at) {
      cancel(key);
      const timer: SessionTimer = { key, cancel: clock.startTimer(at, () => fired(timer)) };
      timers.set(key, timer);
      counted(1);
    },
    cancel,
    cancelAll() {
      for (const key of [...timers.keys()]) cancel(key);
    },
    consume(timer) {
      if (timers.get(timer.key) !== timer) return false;
      timers.delete(timer.key);
      counted(-1);
      return true;
    },
    has: (key) => timers.has(key),
  };
}
