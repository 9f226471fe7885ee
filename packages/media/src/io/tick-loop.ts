import { createLateness, type LatenessSummary } from './lateness.ts';

/** Calls the engine at a constant pace. */
export interface TickLoop {
  start(): void;
  stop(): void;
  stats(): TickStats;
  resetStats(): void;
}

/** Punctuality of the ticks. */
export interface TickStats {
  /** Delay of a tick after its due time. */
  readonly lateness: LatenessSummary;
  /** Duration of a tick. */
  readonly duration: LatenessSummary;
  readonly ticks: number;
  /** Restarts of the schedule after a stall. */
  readonly rebased: number;
  /** Ticks skipped by these restarts. */
  readonly skipped: number;
}

/** The clock, the engine and the sockets of a loop; times in milliseconds. */
export interface TickLoopDeps {
  readonly intervalMs: number;
  /** Monotonic milliseconds. */
  now(): number;
  /** Ticks per frame; only whole frames are skipped. Default 1. */
  readonly ticksPerFrame?: number;
  /** `skipped` is the number of frames skipped before this tick. */
  tick(nowMs: number, skipped: number): void;
  poll(): void;
  /** Polls between two ticks; each tick also polls first. */
  readonly pollsPerTick: number;
  /** A stall longer than this many frames restarts the schedule. */
  readonly mostBehind?: number;
}

/**
 * The n-th tick is due at start + n · interval, so that errors do not add up. After a short stall, the due ticks follow
 * one another, with a turn of the event loop between them so that waiting packets are read first. After a long stall (a
 * suspended machine) the schedule restarts, because hundreds of frames at once would only fill the listeners' buffers.
 */
export function createTickLoop(deps: TickLoopDeps): TickLoop {
  const { intervalMs, ticksPerFrame = 1, mostBehind = 5 } = deps;
  const steps = deps.pollsPerTick + 1;
  const lateness = createLateness();
  const duration = createLateness();
  let base = 0;
  let done = 0;
  let polls = 0;
  let ticks = 0;
  let rebased = 0;
  let skipped = 0;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;

  const wake = (): void => {
    timer = undefined;
    immediate = undefined;
    const now = deps.now();
    deps.poll();
    polls++;
    const due = base + done * intervalMs;
    if (now >= due) {
      const behind = Math.floor((now - due) / (intervalMs * ticksPerFrame));
      const leftOut = behind > mostBehind ? behind : 0;
      if (leftOut > 0) {
        base += leftOut * ticksPerFrame * intervalMs;
        rebased++;
        skipped += leftOut * ticksPerFrame;
      }
      done++;
      ticks++;
      polls = 0;
      lateness.record(now - due);
      deps.tick(now, leftOut);
      duration.record(deps.now() - now);
    }
    schedule();
  };
  const schedule = (): void => {
    const dueTick = base + done * intervalMs;
    const duePoll = dueTick - ((steps - 1 - Math.min(polls, steps - 1)) * intervalMs) / steps;
    const wait = duePoll - deps.now();
    // Timers have a resolution of 1 ms and round down below it: one more turn waits for the rest.
    if (wait <= 0) immediate = setImmediate(wake);
    else timer = setTimeout(wake, Math.ceil(wait));
  };

  return {
    start() {
      base = deps.now() + intervalMs;
      done = 0;
      schedule();
    },
    stop() {
      clearTimeout(timer);
      clearImmediate(immediate);
    },
    stats: () => ({
      lateness: lateness.summary(),
      duration: duration.summary(),
      ticks,
      rebased,
      skipped,
    }),
    resetStats() {
      lateness.reset();
      duration.reset();
      ticks = 0;
      rebased = 0;
      skipped = 0;
    },
  };
}
