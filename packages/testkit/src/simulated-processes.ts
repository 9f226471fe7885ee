import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type SimulatedPlatform,
  type SimulatedPlatformOptions,
  startSimulatedPlatform,
} from './simulated-platform.ts';

// Files in memory: no test here depends on the speed of a disk.
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** The processes of a world, one after another: each starts on the disk of the one before. */
export interface SimulatedProcesses {
  readonly current: SimulatedPlatform;
  /** Kills the current process; the next one starts when `whileDown` has resolved. */
  restart(whileDown: () => Promise<void>): Promise<void>;
  /** Removes the data of the last process, which is closed. */
  remove(): void;
}

export async function startSimulatedProcesses(
  options: Omit<SimulatedPlatformOptions, 'directory'>,
): Promise<SimulatedProcesses> {
  const root = mkdtempSync(join(parent, 'jackfield-world-'));
  let number = 0;
  const directory = () => join(root, String(number));
  const start = () => startSimulatedPlatform({ ...options, directory: directory() });
  let current = await start();
  return {
    get current() {
      return current;
    },
    async restart(whileDown) {
      const last = directory();
      number++;
      await current.kill(directory());
      rmSync(last, { recursive: true, force: true });
      await whileDown();
      current = await start();
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
