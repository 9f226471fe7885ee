import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns to the system what only the start of this thread needed. The start of the main thread lets V8's young generation grow to 128 MiB, and
 * an idle thread allocates too little for V8 to shrink it again.
 */
export function returnStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  // Only this flavor also unmaps the pages that V8 keeps for later.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
