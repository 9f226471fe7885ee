import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts a file system of so many bytes; false where that is not allowed. */
export function mount(directory: string, bytes: number, ...options: readonly string[]): boolean {
  const all = [...options, `size=${bytes}`].join(',');
  return spawnSync('mount', ['-t', 'tmpfs', '-o', all, 'small-disk', directory]).status === 0;
}

export function unmount(directory: string): void {
  execFileSync('umount', [directory]);
}

/** False where a file system may be mounted; otherwise why not. */
export function noMount(): false | string {
  const directory = mkdtempSync(join(tmpdir(), 'mount-'));
  const isAllowed = mount(directory, 65_536);
  if (isAllowed) unmount(directory);
  rmdirSync(directory);
  return isAllowed ? false : 'no file system may be mounted here: it takes root (CAP_SYS_ADMIN)';
}
