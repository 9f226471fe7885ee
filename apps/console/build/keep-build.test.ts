import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepBuild } from './keep-build.ts';

test('of two builds of the same sources the first one stays, and builds of other sources and those that were killed go', (t) => {
  const dist = mkdtempSync(join(tmpdir(), 'console-'));
  t.after(() => rmSync(dist, { recursive: true }));
  for (const name of ['of-earlier', 'new-1', 'new-2', 'new-3']) {
    mkdirSync(join(dist, name));
    writeFileSync(join(dist, name, 'index.html'), name);
  }
  utimesSync(join(dist, 'new-3'), 0, 0);
  const kept = keepBuild(join(dist, 'new-1'), dist, 'of-these');
  assert.equal(keepBuild(join(dist, 'new-2'), dist, 'of-these'), kept);
  assert.deepEqual(readdirSync(dist), ['of-these']);
  assert.equal(readFileSync(join(kept, 'index.html'), 'utf8'), 'new-1');
});
