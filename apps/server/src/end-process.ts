import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Ends the process with this code. `process.exit` alone can wait without end: it joins the threads that compile, and such a thread, once the
 * heap has reached its limit, waits for a collection, which only this thread can do (nodejs/node#54918, #64274).
 */
export function endProcess(code: number): never {
  collectBeforeEnd();
  process.exit(code);
}

/**
 * Collects garbage, for the threads that wait for it. Others that still compile then have 8 MB of room at least
 * (Heap::MinimumAllocationLimitGrowingStep of V8), far more than their work takes.
 */
export function collectBeforeEnd(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
