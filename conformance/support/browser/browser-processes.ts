import { readdir, readFile } from 'node:fs/promises';
import { patienceMs } from '../patience.ts';

/** Resolves when no process of a browser is left whose command line names this directory, as that of its profile. */
export async function untilEnded(directory: string): Promise<void> {
  const limit = Date.now() + patienceMs;
  for (;;) {
    const left = await processesNaming(directory);
    if (left.length === 0) return;
    if (Date.now() > limit) throw new Error(`Processes of the browser outlive it: ${left.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function processesNaming(text: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const named = await Promise.all(
    ids.map(async (id) => {
      // A process that has just ended has no such file.
      const commandLine = await readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => '');
      return commandLine.includes(text);
    }),
  );
  return ids.filter((_, index) => named[index]);
}
