import type { Clock } from '@jackfield/ports';

/** setTimeout takes a signed 32-bit number of milliseconds; a longer wait would fire at once. */
const longestWaitMs = 2 ** 31 - 1;

/** Less is no step: readings of two clocks are some milliseconds apart, more on a machine that was just busy. */
const smallestStepMs = 1_000;

export interface SystemClockOptions {
  /** Whether a running timer keeps the process alive; not by default, since a server lives by its sockets. */
  readonly keepsProcessAlive?: boolean;
  /** Whenever a step of the wall clock is seen for the first time: how far it is from the even count now. */
  readonly onStep?: (offsetMs: number) => void;
  /** The two clocks of the machine, in milliseconds: the even one counts from anywhere. */
  readonly machine?: { readonly monotonic: () => number; readonly wall: () => number };
}

const ofThisMachine = { monotonic: () => performance.now(), wall: () => Date.now() };

/**
 * The clock of the machine: counted by its monotonic clock, from the wall clock at the start. A timer never fires before its
 * instant, also when it is months away.
 */
export function createSystemClock(options: SystemClockOptions = {}): Clock {
  const { keepsProcessAlive = false, onStep, machine = ofThisMachine } = options;
  const startedAt = machine.wall() - Math.floor(machine.monotonic());
  let offsetMs = 0;
  // Whole milliseconds: instants are stored as integers.
  const now = (): number => startedAt + Math.floor(machine.monotonic());

  return {
    now,
    wallNow() {
      const counted = now();
      const behindMs = machine.wall() - counted - offsetMs;
      // Between two steps both times are the same distance apart, to the millisecond: dates keep the order of their events.
      if (Math.abs(behindMs) >= smallestStepMs) {
        offsetMs += behindMs;
        onStep?.(offsetMs);
      }
      return counted + offsetMs;
    },
    startTimer(at, fire) {
      let timer: NodeJS.Timeout;
      const arm = (): void => {
        const waitMs = Math.max(0, Math.ceil(at - now()));
        timer = setTimeout(waitMs > longestWaitMs ? arm : fireWhenDue, Math.min(waitMs, longestWaitMs));
        if (!keepsProcessAlive) timer.unref();
      };
      // libuv counts from the loop's cached time and may be a millisecond early.
      const fireWhenDue = (): void => {
        if (now() < at) arm();
        else fire();
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}
