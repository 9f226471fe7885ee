import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** libfaketime, as Debian's package `faketime` installs it: preloaded, it moves the wall clock of a process. */
export function fakeTimeLibrary(): string | undefined {
  const root = '/usr/lib';
  return readdirSync(root)
    .map((folder) => join(root, folder, 'faketime/libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
}
