import { createLateness, type LatenessSummary } from './lateness.ts';

/** Blocks a thread, for times in milliseconds. */
export interface ThreadWait {
  /** Returns true when it returned earlier because the event loop has work. */
  untilWork(ms: number): boolean;
  /** Whatever work the event loop has. */
  pause(ms: number): void;
}

/**
 * Between two turns of the event loop that it has work for, unless a tick or poll is due. V8 gives a thread work again and again until its
 * helpers have ended a garbage collection, and helpers are threads of normal priority: a real-time thread that only looks again keeps
 * them, and all others, from the core.
 */
const PAUSE_MS = 0.25;

/** Calls the engine at a constant pace. */
export interface TickLoop {
  start(): void;
  stop(): void;
  /** Ends a rest; to be called before each change of the engine. The next tick comes within a frame. */
  wake(): void;
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
  /** Without it, a timer paces the loop. */
  readonly wait?: ThreadWait;
  /** Whether ticks have nothing to do until the next `wake`. Default: never. */
  isIdle?(): boolean;
  /** A rest of this many frames is over. */
  rested?(frames: number): void;
  /** False when ticks begin, at the start and after a rest; true when a rest begins. */
  resting?(isResting: boolean): void;
}

/**
 * The n-th tick is due at start + n · interval, so that errors do not add up. After a short stall, the due ticks follow
 * one another, with a turn of the event loop between them so that waiting packets are read first. After a long stall (a
 * suspended machine) the schedule restarts, because hundreds of frames at once would only fill the listeners' buffers.
 * While the engine is idle there are no ticks and no timers; the schedule continues on its grid afterwards.
 */
export function createTickLoop(deps: TickLoopDeps): TickLoop {
  return new Loop(deps);
}

class Loop implements TickLoop {
  readonly #deps: TickLoopDeps;
  readonly #intervalMs: number;
  readonly #frameMs: number;
  readonly #mostBehind: number;
  readonly #steps: number;
  readonly #lateness = createLateness();
  readonly #duration = createLateness();
  #base = 0;
  #done = 0;
  #polls = 0;
  #ticks = 0;
  #rebased = 0;
  #skipped = 0;
  #isResting = false;
  #hadWork = false;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(deps: TickLoopDeps) {
    this.#deps = deps;
    this.#intervalMs = deps.intervalMs;
    this.#frameMs = deps.intervalMs * (deps.ticksPerFrame ?? 1);
    this.#mostBehind = deps.mostBehind ?? 5;
    this.#steps = deps.pollsPerTick + 1;
  }

  start(): void {
    this.#deps.resting?.(false);
    this.#base = this.#deps.now() + this.#intervalMs;
    this.#done = 0;
    this.#schedule();
  }

  stop(): void {
    this.#isResting = false;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }

  readonly wake = (): void => {
    if (!this.#isResting) return;
    this.#isResting = false;
    this.#deps.resting?.(false);
    const frames = Math.max(0, Math.ceil((this.#deps.now() - this.#dueTick()) / this.#frameMs));
    this.#base += frames * this.#frameMs;
    this.#polls = 0;
    this.#deps.rested?.(frames);
    this.#schedule();
  };

  stats(): TickStats {
    return {
      lateness: this.#lateness.summary(),
      duration: this.#duration.summary(),
      ticks: this.#ticks,
      rebased: this.#rebased,
      skipped: this.#skipped,
    };
  }

  resetStats(): void {
    this.#lateness.reset();
    this.#duration.reset();
    this.#ticks = 0;
    this.#rebased = 0;
    this.#skipped = 0;
  }

  #dueTick(): number {
    return this.#base + this.#done * this.#intervalMs;
  }

  #duePoll(): number {
    const left = this.#steps - 1 - Math.min(this.#polls, this.#steps - 1);
    return this.#dueTick() - (left * this.#intervalMs) / this.#steps;
  }

  #schedule(): void {
    const wait = this.#duePoll() - this.#deps.now();
    // Timers have a resolution of 1 ms and round down below it: one more turn waits for the rest.
    if (wait <= 0 || this.#deps.wait !== undefined) this.#immediate = setImmediate(this.#turn);
    else this.#timer = setTimeout(this.#turn, Math.ceil(wait));
  }

  readonly #turn = (): void => {
    const deps = this.#deps;
    this.#timer = undefined;
    this.#immediate = undefined;
    // Block first: all that the last tick caused has had its turn of the event loop by now.
    if (deps.wait !== undefined && this.#hasWork(deps.wait)) {
      this.#schedule();
      return;
    }
    const now = deps.now();
    deps.poll();
    this.#polls++;
    if (now >= this.#dueTick()) {
      this.#tick(now);
      if (deps.isIdle?.() === true) {
        this.#isResting = true;
        deps.resting?.(true);
        return;
      }
    }
    this.#schedule();
  };

  /** Blocks until the next poll is due; true when the event loop has work before. */
  #hasWork(wait: ThreadWait): boolean {
    const { now } = this.#deps;
    let ms = this.#duePoll() - now();
    if (ms > 0 && this.#hadWork) {
      wait.pause(Math.min(ms, PAUSE_MS));
      ms = this.#duePoll() - now();
    }
    if (ms <= 0) return false;
    this.#hadWork = wait.untilWork(ms);
    return this.#hadWork;
  }

  #tick(now: number): void {
    const due = this.#dueTick();
    const behind = Math.floor((now - due) / this.#frameMs);
    const leftOut = behind > this.#mostBehind ? behind : 0;
    if (leftOut > 0) {
      this.#base += leftOut * this.#frameMs;
      this.#rebased++;
      this.#skipped += Math.round((leftOut * this.#frameMs) / this.#intervalMs);
    }
    this.#done++;
    this.#ticks++;
    this.#polls = 0;
    this.#lateness.record(now - due);
    this.#deps.tick(now, leftOut);
    this.#duration.record(this.#deps.now() - now);
  }
}
