import type { PriorityNotice } from './media-thread-data.ts';
import { guardRealTime } from './priority-guard.ts';
import { loadThreadPriorities, type ThreadPriority } from './thread-priority.ts';

/** The media threads of this process, whose priority stays when the other threads are lowered. */
const mediaThreads = new Set<number>();

/** Follows the priority of one media thread. */
export interface PriorityWatch {
  /** Notes the priority that the thread obtained, or that it rests. */
  note(notice: PriorityNotice): Promise<void>;
  end(): void;
}

/**
 * Bounds a real-time thread, and lowers the other threads of the process where the media thread could not be raised:
 * lowering a priority is always permitted.
 */
export function watchPriority(changed: (priority: ThreadPriority) => void): PriorityWatch {
  let thread = -1;
  let known: ThreadPriority | undefined;
  let isOver = false;
  let endGuard = (): void => {};
  const become = (priority: ThreadPriority): void => {
    if (priority === known) return;
    known = priority;
    changed(priority);
  };
  return {
    async note({ thread: number, obtained }) {
      const priorities = await loadThreadPriorities();
      if (isOver) return;
      endGuard();
      if (priorities === undefined || number < 0) return become('normal');
      if (obtained === 'resting') return;
      thread = number;
      mediaThreads.add(thread);
      if (obtained === 'real-time') endGuard = guardRealTime(thread, priorities, become);
      if (obtained !== 'normal') return become(obtained);
      if (known !== 'others-lowered') priorities.lowerOthers(mediaThreads);
      become('others-lowered');
    },
    end() {
      isOver = true;
      endGuard();
      mediaThreads.delete(thread);
    },
  };
}
