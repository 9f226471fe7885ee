import type { Clock, Instant } from '@jackfield/ports';

/** A clock that moves only by `advance`. */
export interface VirtualClock extends Clock {
  /**
   * Moves time forward by `ms` and fires due timers in order of their instant, then of their start. Before the first timer and after each
   * one, all caused work has time to settle. A timer whose instant has passed fires at the next advance.
   */
  advance(ms: number): Promise<void>;
  /**
   * Moves time forward by `ms` at once, as a machine does that was suspended: each timer that became due meanwhile fires once, late. A day of
   * a world over PostgreSQL costs 17,000 looks for due events with `advance`, and one with this.
   */
  leap(ms: number): Promise<void>;
  /** Steps the wall clock, as an operator or NTP does; `now()` and timers are unaffected. */
  stepWall(ms: number): void;
  /** Timers that are armed. */
  readonly pending: number;
  /** The instant of the earliest timer. */
  readonly nextAt: Instant | undefined;
}

export interface VirtualClockOptions {
  /** The start time; 2026-01-01T00:00:00Z by default. */
  readonly startAt?: Instant;
  /**
   * Waits until the work of a timer has settled, for example `() => runner.idle()` with a real database. Default: a few turns of the event
   * loop, enough for promises and for commits of the embedded database.
   */
  readonly settle?: () => Promise<void> | undefined;
  /** More timers than this in one advance count as an endless loop. */
  readonly maximumFires?: number;
}

interface Timer {
  readonly at: Instant;
  fire: (() => void) | undefined;
}

export function createVirtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { startAt = Date.UTC(2026, 0, 1), settle = someTurns, maximumFires = 1_000_000 } = options;
  // Sorted by instant, then by the order of their start.
  const timers: Timer[] = [];
  let now = startAt;
  let wallOffset = 0;

  function placeAfter(at: Instant): number {
    let low = 0;
    let high = timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (timers[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    now: () => now,
    wallNow: () => now + wallOffset,
    stepWall(ms) {
      wallOffset += ms;
    },
    startTimer(at, fire) {
      // NaN would sort anywhere: the error appears at the faulty caller.
      if (Number.isNaN(at)) throw new RangeError('a timer needs an instant');
      const timer: Timer = { at: Math.max(at, now), fire };
      timers.splice(placeAfter(timer.at), 0, timer);
      return () => {
        if (timer.fire === undefined) return;
        timer.fire = undefined;
        timers.splice(timers.indexOf(timer), 1);
      };
    },
    async advance(ms) {
      if (!(ms >= 0)) throw new RangeError('time moves forward only');
      const until = now + ms;
      await settle();
      for (let fires = 0; timers.length > 0 && timers[0]!.at <= until; fires++) {
        if (fires === maximumFires) throw new Error(`more than ${maximumFires} timers fired in one advance`);
        const timer = timers.shift()!;
        now = timer.at;
        const fire = timer.fire!;
        timer.fire = undefined;
        fire();
        await settle();
      }
      now = until;
    },
    async leap(ms) {
      if (!(ms >= 0)) throw new RangeError('time moves forward only');
      await settle();
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        const { fire } = timer;
        // An earlier one has cancelled it.
        if (fire === undefined) continue;
        timers.splice(timers.indexOf(timer), 1);
        timer.fire = undefined;
        fire();
        await settle();
      }
    },
    get pending() {
      return timers.length;
    },
    get nextAt() {
      return timers[0]?.at;
    },
  };
}

/** A group commit of the embedded database takes two turns; a step that depends on it two more. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
