import { chmod, mkdir, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps this directory in memory, where a commit of a test's database waits for no disk. */
const inMemory = '/dev/shm';
const enough = 4 * 1024 ** 3;

/** The temporary directory of one run: in memory where 4 GiB of it are free, as the databases and recordings of all tests need at most 1. */
export async function createRunDirectory(): Promise<string> {
  const directory = await mkdtemp(join(await parentDirectory(), 'jackfield-tests-'));
  // PostgreSQL runs as a user of its own when the tests run as root, and has its data in here.
  await chmod(directory, 0o711);
  // The name is `sharedClusters` of `packages/testkit/src/postgres-server.ts`.
  await mkdir(join(directory, 'postgres-clusters'));
  return directory;
}

async function parentDirectory(): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    const { bavail, bsize } = await statfs(inMemory);
    return bavail * bsize >= enough ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}
