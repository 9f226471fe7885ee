import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const builder = join(import.meta.dirname, 'build-console.ts');

test('all of the console takes at most 200 KB of gzip, with its graphs, its player and its phone', (t) => {
  const directory = execFileSync(process.execPath, [builder], { encoding: 'utf8' }).trim();
  const sizes = globSync('assets/*.gz', { cwd: directory }).map(
    (name) => statSync(join(directory, name)).size,
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  t.diagnostic(`${total} bytes in ${sizes.length} files`);
  assert.ok(sizes.length > 20 && total <= 200 * 1024, `${total} bytes`);
});
