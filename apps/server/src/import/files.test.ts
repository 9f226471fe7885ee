import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTextFile } from './files.ts';

test('an export may begin with a byte order mark, which PowerShell writes', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'export-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'export.json');
  writeFileSync(file, '\uFEFF{"endpoints":[]}');
  assert.deepEqual(JSON.parse(readTextFile(file)), { endpoints: [] });
});
