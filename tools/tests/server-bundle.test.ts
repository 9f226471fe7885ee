import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { bundleServer } from './server-bundle.ts';

const root = join(import.meta.dirname, '../..');

test('The bundle of the server starts, has what its workers start with, and is kept while its sources stay the same', async (t) => {
  // Inside the workspace: packages that the bundle leaves apart are found from there.
  const cache = join(root, 'node_modules/.cache', `test-server-${process.pid}`);
  t.after(() => rm(cache, { recursive: true, force: true }));
  const old = join(cache, 'old');
  await mkdir(old, { recursive: true });
  await utimes(old, new Date(0), new Date(0));
  const main = await bundleServer(root, cache);
  assert.equal(existsSync(old), false, 'bundles of earlier days are removed');

  const { version } = JSON.parse(await readFile(join(root, 'apps/server/package.json'), 'utf8'));
  const printed = execFileSync(process.execPath, [main, '--version'], { encoding: 'utf8' });
  assert.equal(printed.trim(), version);

  // What several commands share is in files of its own.
  const files = (await readdir(dirname(main))).filter((name) => name.endsWith('.js'));
  const built = (await Promise.all(files.map((file) => readFile(join(dirname(main), file), 'utf8')))).join(
    '',
  );
  const started = [...built.matchAll(/new URL\("(\.[^"]+)", import\.meta\.url\)/g)].map(([, name]) => name!);
  const ours = [...new Set(started)].filter((name) => name.startsWith('./packages-'));
  assert.equal(ours.length, 4, ours.join());
  for (const name of ours) assert.ok(existsSync(join(dirname(main), name)), name);
  assert.equal(await bundleServer(root, cache), main);
});
