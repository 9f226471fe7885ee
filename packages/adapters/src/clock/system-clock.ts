import type { Clock } from '@jackfield/ports';

/** setTimeout accepts a signed 32-bit number of milliseconds; a longer wait would fire at once. */
const longestWaitMs = 2 ** 31 - 1;

/** A smaller difference is not a step: readings of two clocks differ by some milliseconds, by more on a busy machine. */
const smallestStepMs = 1_000;

export interface SystemClockOptions {
  /** Whether a running timer keeps the process alive; false by default, since the sockets of a server do that. */
  readonly keepsProcessAlive?: boolean;
  /** Called once for each step of the wall clock, with its new offset from the monotonic count. */
  readonly onStep?: (offsetMs: number) => void;
  /** The two clocks of the machine, in milliseconds; the monotonic clock starts at any value. */
  readonly machine?: { readonly monotonic: () => number; readonly wall: () => number };
}

const ofThisMachine = { monotonic: () => performance.now(), wall: () => Date.now() };

/**
 * The clock of the machine: the wall clock at the start plus the monotonic time since. A timer never fires before its instant, even months
 * ahead.
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
      // Between two steps the distance of both times is constant to the millisecond, so dates keep the order of their events.
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
