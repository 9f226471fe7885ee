import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives a finished build its name below `dist` and removes builds of other sources. Several servers may build at once, each in a directory of
 * its own: the first one to finish gives the name, and the others take that build.
 */
export function keepBuild(own: string, dist: string, name: string): string {
  const place = join(dist, name);
  const others = readdirSync(dist).filter((each) => each.startsWith('of-') && each !== name);
  try {
    renameSync(own, place);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(place)) throw error;
  }
  for (const each of others) rmSync(join(dist, each), { recursive: true, force: true });
  return place;
}
