import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Latest, pageText } from './page.ts';

const latest = JSON.parse(readFileSync(join(import.meta.dirname, 'latest.json'), 'utf8')) as Latest;

test('the page of benchmarks is as the latest figures make it', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/benchmarks.md'), 'utf8');
  assert.equal(page, pageText(latest), 'npx node benchmarks/write-page.ts writes it');
});

test('every figure names a run, and every budget its verdict', () => {
  for (const { what, run, budget, isMet } of latest.figures) {
    assert.ok(run in latest.runs, what);
    assert.equal(budget === undefined, isMet === undefined, what);
  }
});
