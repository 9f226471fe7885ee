import type { PriorityNotice } from './media-thread-data.ts';
import { guardRealTime } from './priority-guard.ts';
import { loadThreadPriorities, type ThreadPriority } from './thread-priority.ts';

/** The media threads of this process, whose priority stays when the other threads are lowered. */
const mediaThreads = new Set<number>();

/** Follows the priority of one media thread. */
export interface PriorityWatch {
  /** Notes the priority that the thread obtained at its start. */
  note(notice: PriorityNotice): Promise<void>;
  end(): void;
}

/**
 * Bounds a real-time thread, and lowers the other threads of the process where the media thread could not be raised:
 * lowering a priority is always permitted.
 */
export function watchPriority(changed: (priority: ThreadPriority) => void): PriorityWatch {
  let thread = -1;
  let isOver = false;
  let endGuard = (): void => {};
  return {
    async note(notice) {
      const priorities = await loadThreadPriorities();
      if (isOver || priorities === undefined || notice.thread < 0) return changed('normal');
      thread = notice.thread;
      mediaThreads.add(thread);
      if (notice.obtained === 'real-time') endGuard = guardRealTime(thread, priorities, changed);
      if (notice.obtained !== 'normal') return changed(notice.obtained);
      priorities.lowerOthers(mediaThreads);
      changed('others-lowered');
    },
    end() {
      isOver = true;
      endGuard();
      mediaThreads.delete(thread);
    },
  };
}
