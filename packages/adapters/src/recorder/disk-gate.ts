/** Lets so many through at a time; the others wait in order. */
export interface DiskGate {
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Writes block threads of a pool that the whole process shares (libuv has four of them): a disk that hangs must not take
 * them all, or names are not looked up any more.
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
        // Its place is handed over, not freed: nobody slips in between.
        if (next === undefined) inside--;
        else next();
      }
    },
  };
}
