import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** KiB of gzip that a page loads before its first call; it may only shrink. */
const BUDGET = 40;

/** KiB of gzip of each file of an entry's bundle, as an application's bundler makes it. */
async function weigh(entry: string, splitting: boolean): Promise<ReadonlyMap<string, number>> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, entry)],
    bundle: true,
    minify: true,
    splitting,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    outdir: 'out',
    logLevel: 'error',
  });
  return new Map(
    outputFiles.map(({ path, contents }) => [
      path.split('/').at(-1) ?? '',
      gzipSync(contents, { level: 9 }).length / 1024,
    ]),
  );
}

test(`The main entry is at most ${BUDGET} KiB of gzip, and imports nothing of Node`, async (t) => {
  const files = await weigh('index.ts', true);
  const whole = await weigh('index.ts', false);
  // Files that every page loads: the entry and what it shares with the parts that load later.
  const first = [...files].filter(([name]) => /^(?:index|chunk-.*)\.js$/.test(name));
  const loaded = first.reduce((sum, [, size]) => sum + size, 0);
  t.diagnostic(`main entry: ${loaded.toFixed(2)} KiB; in one file: ${whole.get('index.js')?.toFixed(2)} KiB`);
  for (const [name, size] of files) t.diagnostic(`${name}: ${size.toFixed(2)} KiB`);
  assert.ok(loaded <= BUDGET, `${loaded.toFixed(2)} KiB`);
});

test('Noise suppression is an entry of its own: at most 2 KiB of gzip beside its library, and nothing of it in the main entry', async () => {
  const entry = await weigh('noise-suppression/noise-suppression.ts', false);
  assert.ok(entry.get('noise-suppression.js')! <= 2, `${entry.get('noise-suppression.js')} KiB`);
  assert.doesNotMatch(readFileSync(join(import.meta.dirname, 'index.ts'), 'utf8'), /noise-suppression/);
});
