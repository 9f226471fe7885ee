import type { Clock } from '@jackfield/ports';

/** Live recordings, and the requests that wait for their ends. */
export interface Endings {
  begin(recording: string): void;
  end(recording: string): void;
  /** It has not begun: its record could not be written. */
  withdraw(recording: string): void;
  isLive(recording: string): boolean;
  live(): readonly string[];
  /** Resolves when the recording has ended; rejects when that takes longer than the limit. */
  over(recording: string): Promise<void>;
}

export function createEndings(clock: Clock, limitMs: number): Endings {
  const live = new Set<string>();
  const waiters = new Map<string, (() => void)[]>();
  return {
    begin: (recording) => void live.add(recording),
    withdraw: (recording) => void live.delete(recording),
    isLive: (recording) => live.has(recording),
    live: () => [...live],
    end(recording) {
      live.delete(recording);
      for (const resolve of waiters.get(recording) ?? []) resolve();
      waiters.delete(recording);
    },
    async over(recording) {
      if (!live.has(recording)) return;
      let cancel = () => {};
      await new Promise<void>((resolve, reject) => {
        waiters.set(recording, [...(waiters.get(recording) ?? []), resolve]);
        const late = () => reject(new Error(`recording ${recording} did not end in ${limitMs} ms`));
        cancel = clock.startTimer(clock.now() + limitMs, late);
      }).finally(() => cancel());
    },
  };
}
