import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describedMetrics } from './described-metrics.ts';

const root = join(import.meta.dirname, '../../..');

test('every counted or observed metric is described, and no other', () => {
  const used = new Set<string>();
  for (const path of globSync('{apps,packages}/*/src/**/*.ts', { cwd: root })) {
    if (/\.test\.ts$|described-metrics/.test(path)) continue;
    const text = readFileSync(join(root, path), 'utf8');
    for (const [, name = ''] of text.matchAll(/\.(?:count|observe)\(\s*'(jackfield_\w+)'/g)) used.add(name);
    // A name that several files count is a constant.
    for (const [, name = ''] of text.matchAll(/^const \w+ = '(jackfield_\w+_total)'/gm)) used.add(name);
  }
  assert.deepEqual([...used].sort(), Object.keys(describedMetrics).sort());
});
