import type { PriorityNotice } from './media-thread-data.ts';
import type { ThreadPriorities } from './thread-priority.ts';

/**
 * The priority of the calling thread: the best permitted while it has ticks, and that of any other thread while it rests. The event loop
 * of a resting thread is Node's own, and works without a pause until V8's helpers have ended a garbage collection: a real-time thread would
 * keep them from its core, and all other threads. A thread that does not pause in its ticks either is never real-time.
 */
export function createOwnPriority(
  priorities: Pick<ThreadPriorities, 'raiseOwn' | 'restOwn'> | undefined,
  most: 'real-time' | 'raised',
  report: (notice: Omit<PriorityNotice, 'type'>) => void,
): (isResting: boolean, pauses: boolean) => void {
  let raised = -1;
  return (isResting, pauses) => {
    if (!isResting) {
      const notice = priorities?.raiseOwn(pauses ? most : 'raised') ?? { thread: -1, obtained: 'normal' };
      raised = notice.obtained === 'normal' ? -1 : notice.thread;
      report(notice);
    } else if (raised >= 0) {
      priorities?.restOwn();
      report({ thread: raised, obtained: 'resting' });
    }
  };
}
