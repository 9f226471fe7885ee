import type { Clock } from '@jackfield/platform';

/** setTimeout takes a signed 32-bit number of milliseconds; a longer wait would fire at once. */
const longestWaitMs = 2 ** 31 - 1;

export interface SystemClockOptions {
  /** Whether a running timer keeps the process alive; not by default, since a server lives by its sockets. */
  readonly keepsProcessAlive?: boolean;
}

/** The clock of the machine. A timer never fires before its instant, also when it is months away. */
export function createSystemClock({ keepsProcessAlive = false }: SystemClockOptions = {}): Clock {
  return {
    now: () => Date.now(),
    startTimer(at, fire) {
      let timer: NodeJS.Timeout;
      const arm = (): void => {
        const waitMs = Math.max(0, Math.ceil(at - Date.now()));
        timer = setTimeout(waitMs > longestWaitMs ? arm : fireWhenDue, Math.min(waitMs, longestWaitMs));
        if (!keepsProcessAlive) timer.unref();
      };
      // libuv counts from the loop's cached time and may be a millisecond early against Date.now.
      const fireWhenDue = (): void => {
        if (Date.now() < at) arm();
        else fire();
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}
