import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** More than packing takes on a loaded machine. */
const lockMs = 600_000;

export interface PackedOnce {
  /** Gets a copy of the tarball. */
  readonly into: string;
  /** The directory of all processes that share the tarball. */
  readonly shared: string;
  /** Packs into `shared`; resolves with the tarball's path. */
  readonly pack: () => Promise<string>;
}

/** The first process packs, and processes beside it wait for its tarball. Resolves with the path of the copy. */
export async function packOnce(name: string, { into, shared, pack }: PackedOnce): Promise<string> {
  mkdirSync(shared, { recursive: true });
  // A lock of SQLite ends with its process, however that ends.
  const lock = new DatabaseSync(join(shared, `${name}.lock`), { timeout: lockMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    const done = join(shared, `${name}.path`);
    if (!existsSync(done)) writeFileSync(done, await pack());
    const tarball = readFileSync(done, 'utf8');
    const copy = join(into, basename(tarball));
    mkdirSync(into, { recursive: true });
    copyFileSync(tarball, copy);
    return copy;
  } finally {
    lock.close();
  }
}
