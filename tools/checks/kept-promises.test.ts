import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptPromises } from './kept-promises.ts';

const refused = (text: string, path = 'packages/sip/src/a.test.ts') =>
  keptPromises.find([{ path, text }]).length;

test('a note of postponed work is refused', () => {
  const mark = ['TO', 'DO'].join('');
  assert.equal(refused(`// ${mark}: later`, 'packages/sip/src/a.ts'), 1);
  assert.equal(refused(`// ${['FIX', 'ME'].join('')} later`, 'packages/sip/src/a.ts'), 1);
  assert.equal(refused('// done at once', 'packages/sip/src/a.ts'), 0);
});

test('a test that is switched off without a reason is refused', () => {
  for (const planted of [
    "test.skip('a', () => {});",
    "describe.only('a', () => {});",
    "it.todo('a');",
    "test('a', { skip: true }, () => {});",
    "test('a', { only: true }, () => {});",
    "test('a', (t) => { t.skip(); });",
  ]) {
    assert.equal(refused(planted), 1, planted);
  }
});

test('a skip by option or in the test is allowed with its reason', () => {
  for (const fixed of [
    "test('a', { skip: 'baresip is not installed' }, () => {});",
    "test('a', { skip: installed ? false : 'sipp is not installed' }, () => {});",
    "test('a', (t) => { t.skip('no IPv6 here'); });",
    'cursor.skip(3);',
  ]) {
    assert.equal(refused(fixed), 0, fixed);
  }
});
