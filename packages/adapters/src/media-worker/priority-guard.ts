import type { ThreadPriorities, ThreadPriority } from './thread-priority.ts';

/** Clock and timer of a guard. */
export interface GuardClock {
  now(): number;
  every(ms: number, act: () => void): () => void;
}

const LOOK_MS = 500;
/** A thread that needs more of a core than this would starve the rest of the machine if that core is the only one. */
const MOST_SHARE = 0.9;
/** The thread becomes real-time again after this time below the lower share. */
const CALM_MS = 10_000;
const CALM_SHARE = 0.75;

const systemClock: GuardClock = {
  now: () => performance.now(),
  every(ms, act) {
    const timer = setInterval(act, ms).unref();
    return () => clearInterval(timer);
  },
};

/**
 * Bounds a real-time thread. A thread that uses a whole core, for its load or for an endless loop, becomes a normal thread
 * until it has been calm for ten seconds. Returns the function that ends the guard.
 */
export function guardRealTime(
  thread: number,
  priorities: Pick<ThreadPriorities, 'cpuMs' | 'stepDown' | 'stepUp'>,
  changed: (priority: ThreadPriority) => void,
  clock: GuardClock = systemClock,
): () => void {
  let isRealTime = true;
  let calmMs = 0;
  let before = { atMs: clock.now(), cpuMs: priorities.cpuMs(thread) };
  return clock.every(LOOK_MS, () => {
    const now = { atMs: clock.now(), cpuMs: priorities.cpuMs(thread) };
    const tookMs = now.atMs - before.atMs;
    const share = (now.cpuMs - before.cpuMs) / tookMs;
    before = now;
    if (isRealTime && share > MOST_SHARE) {
      isRealTime = false;
      priorities.stepDown(thread);
      changed('raised');
    }
    calmMs = share < CALM_SHARE ? calmMs + tookMs : 0;
    if (isRealTime || calmMs < CALM_MS) return;
    calmMs = 0;
    isRealTime = priorities.stepUp(thread);
    if (isRealTime) changed('real-time');
  });
}
