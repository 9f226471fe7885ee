import { readdirSync, readFileSync } from 'node:fs';
import { loadSystemCalls, type SystemCalls } from './system-calls.ts';

/**
 * How the system schedules a media thread: `real-time` (SCHED_FIFO, priority 1), `raised` (a lower nice value),
 * `others-lowered` (the other threads of the process yield to it), or `normal`.
 */
export type ThreadPriority = 'real-time' | 'raised' | 'others-lowered' | 'normal';

const SCHED_OTHER = 0;
const SCHED_FIFO = 1;
/** Threads and processes that the thread starts do not inherit its priority. Only with privileges can it be left out again: sched(7). */
const SCHED_RESET_ON_FORK = 0x40000000;
const PRIO_PROCESS = 0;
const NORMAL_NICE = 0;
/** Ten times the share of a normal thread: each nice level is a factor of 1.25. */
const RAISED_NICE = -10;
/** A third of the share of a normal thread. */
const LOWERED_NICE = 5;

/** A process that may use real-time scheduling without a bound could stop the whole machine. */
const THROTTLE = '/proc/sys/kernel/sched_rt_runtime_us';

/** Priorities of threads of this process; all calls but those of the own thread name one by its number. */
export interface ThreadPriorities {
  /** Gives the calling thread the best permitted priority, up to `most`. */
  raiseOwn(most: 'real-time' | 'raised'): { readonly thread: number; readonly obtained: ThreadPriority };
  /** Makes the calling thread, which was raised, normal. */
  restOwn(): void;
  /** Makes a real-time thread normal, with a raised nice value where that is permitted. */
  stepDown(thread: number): void;
  /** Makes a thread real-time again; false where that is no longer permitted. */
  stepUp(thread: number): boolean;
  /** Lowers all threads of the process but these. */
  lowerOthers(media: ReadonlySet<number>): void;
  /** CPU time of a thread, in ms. */
  cpuMs(thread: number): number;
}

/** Loads the system calls; undefined on an unsupported system. */
export async function loadThreadPriorities(): Promise<ThreadPriorities | undefined> {
  const calls = await loadSystemCalls();
  return calls === undefined ? undefined : createThreadPriorities(calls);
}

function createThreadPriorities(calls: SystemCalls): ThreadPriorities {
  const param = (priority: number): Uint8Array => Uint8Array.of(priority, 0, 0, 0);
  const becomeRealTime = (thread: number): boolean =>
    isThrottled() && calls.setScheduler(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, param(1)) === 0;
  const becomeNormal = (thread: number): void =>
    void calls.setScheduler(thread, SCHED_OTHER | SCHED_RESET_ON_FORK, param(0));
  const raise = (thread: number): boolean => calls.setPriority(PRIO_PROCESS, thread, RAISED_NICE) === 0;
  const clock = new Uint8Array(16);
  const clockView = new DataView(clock.buffer);
  return {
    raiseOwn(most) {
      const thread = calls.threadId();
      if (most === 'real-time' && becomeRealTime(thread)) return { thread, obtained: 'real-time' };
      return { thread, obtained: raise(thread) ? 'raised' : 'normal' };
    },
    restOwn() {
      const thread = calls.threadId();
      becomeNormal(thread);
      calls.setPriority(PRIO_PROCESS, thread, NORMAL_NICE);
    },
    stepDown(thread) {
      becomeNormal(thread);
      raise(thread);
    },
    stepUp(thread) {
      if (!becomeRealTime(thread)) return false;
      calls.setPriority(PRIO_PROCESS, thread, NORMAL_NICE);
      return true;
    },
    lowerOthers(media) {
      for (const name of readdirSync('/proc/self/task')) {
        const thread = Number(name);
        if (!media.has(thread)) calls.setPriority(PRIO_PROCESS, thread, LOWERED_NICE);
      }
    },
    cpuMs(thread) {
      // clock_getcpuclockid(3): the clock of one thread's CPU time.
      if (calls.clockGetTime((~thread << 3) | 6, clock) < 0) return 0;
      return clockView.getUint32(0, true) * 1000 + clockView.getUint32(8, true) / 1e6;
    },
  };
}

/** Whether the kernel reserves a part of each second for threads that are not real-time. */
function isThrottled(): boolean {
  try {
    return Number(readFileSync(THROTTLE, 'utf8')) > 0;
  } catch {
    return false;
  }
}
