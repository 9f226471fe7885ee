import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { docs } from './navigation.ts';

/**
 * `npm run docs`: builds the site of `docs/` into `docs/.vitepress/dist`, unless its sources are as at the last build, and prints the directory.
 * A directory as argument gets a copy. Nothing is fetched.
 */
const root = join(docs, '..');
const dist = join(docs, '.vitepress/dist');
const sources = [
  'docs/**/*.{md,png,svg,json}',
  'docs/.vitepress/{,theme/}*.{ts,vue}',
  'tools/docs-site/*.ts',
  'package-lock.json',
];
const hashFile = 'sources-hash';

async function main(target: string | undefined): Promise<string> {
  const hash = sourcesHash();
  if (!isBuilt(hash)) await buildDist(hash);
  if (target === undefined) return dist;
  cpSync(dist, target, { recursive: true });
  return target;
}

function isBuilt(hash: string): boolean {
  const file = join(dist, hashFile);
  return existsSync(file) && readFileSync(file, 'utf8') === hash;
}

function sourcesHash(): string {
  const hash = createHash('sha256');
  for (const path of globSync(sources, { cwd: root }).sort()) {
    hash.update(path).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

/** Several processes may build at once: each builds in directories of its own. */
async function buildDist(hash: string): Promise<void> {
  const own = join(docs, `.vitepress/.building-${process.pid}`);
  const write = process.stdout.write;
  try {
    // What VitePress reports goes to standard error: the directory is all of the output.
    process.stdout.write = process.stderr.write.bind(process.stderr);
    await build(docs, {
      outDir: join(own, 'dist'),
      onAfterConfigResolve: (config) => {
        config.tempDir = join(own, 'temp');
      },
    });
    // Another process may be copying the first build at this moment.
    if (isBuilt(hash)) return;
    writeFileSync(join(own, 'dist', hashFile), hash);
    rmSync(dist, { recursive: true, force: true });
    renameSync(join(own, 'dist'), dist);
  } finally {
    process.stdout.write = write;
    rmSync(own, { recursive: true, force: true });
  }
}

process.stdout.write(`${await main(process.argv[2])}\n`);
