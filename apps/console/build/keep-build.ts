import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A build takes seconds. */
const abandonedMs = 3_600_000;

/**
 * Gives a finished build its name below `dist` and removes builds of other sources. Several servers may build at once, each in a directory of
 * its own: the first one to finish gives the name, and the others take that build. Directories of builds that were killed go as well.
 */
export function keepBuild(own: string, dist: string, name: string): string {
  const kept = join(dist, name);
  const isAbandoned = (each: string) =>
    each.startsWith('new-') && Date.now() - statSync(join(dist, each)).mtimeMs > abandonedMs;
  const others = readdirSync(dist).filter(
    (each) => (each.startsWith('of-') && each !== name) || isAbandoned(each),
  );
  try {
    renameSync(own, kept);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(kept)) throw error;
  }
  for (const each of others) rmSync(join(dist, each), { recursive: true, force: true });
  return kept;
}
