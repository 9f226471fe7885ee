import type { Clock } from '@jackfield/ports';

/** The rest before the next turn; 0 for a turn at once, undefined after the last one. */
export type Rest = number | undefined;

/** Lets names take turns, some at a time. A name that is woken during its own turn gets another one after it. */
export interface Turns {
  /** Ends the rest of the name, or adds it. */
  wake(name: string): void;
  has(name: string): boolean;
  readonly size: number;
  /** No turn begins from now on; resolves when the running ones are over. */
  close(): Promise<void>;
}

/** `take` is one turn; it never rejects. */
export function createTurns(clock: Clock, concurrent: number, take: (name: string) => Promise<Rest>): Turns {
  const queue = new Set<string>();
  const resting = new Map<string, () => void>();
  const underWay = new Map<string, Promise<void>>();
  const wokenAgain = new Set<string>();
  let isClosed = false;

  function wake(name: string): void {
    resting.get(name)?.();
    resting.delete(name);
    if (isClosed) return;
    if (underWay.has(name)) wokenAgain.add(name);
    else {
      queue.add(name);
      begin();
    }
  }

  function begin(): void {
    for (const name of queue) {
      if (underWay.size >= concurrent) return;
      queue.delete(name);
      underWay.set(name, takeTurn(name));
    }
  }

  async function takeTurn(name: string): Promise<void> {
    const rest = await take(name);
    underWay.delete(name);
    if (wokenAgain.delete(name) || rest === 0) wake(name);
    else if (rest !== undefined && !isClosed)
      resting.set(
        name,
        clock.startTimer(clock.now() + rest, () => wake(name)),
      );
    begin();
  }

  return {
    wake,
    has: (name) => queue.has(name) || resting.has(name) || underWay.has(name),
    get size() {
      return queue.size + resting.size + underWay.size;
    },
    async close() {
      isClosed = true;
      queue.clear();
      for (const cancel of resting.values()) cancel();
      resting.clear();
      await Promise.allSettled(underWay.values());
    },
  };
}
