/** Runs a limited number of tasks at a time; the others wait in order. */
export interface DiskGate {
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Writes block threads of a pool that the whole process shares (four threads of libuv): a hanging disk must not block all of them, or name
 * lookups stop.
 */
export function createDiskGate(width: number): DiskGate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    async pass(work) {
      if (inside === width) await new Promise<void>((resolve) => waiting.push(resolve));
      else inside++;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        // The slot is handed over, not freed: no other task can get it in between.
        if (next === undefined) inside--;
        else next();
      }
    },
  };
}
