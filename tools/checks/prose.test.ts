import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Debt, proseChecked } from './prose.ts';

const none: Debt = { counts: {}, exceptions: { files: [], sentences: [] } };
const find = (path: string, text: string, debt: Partial<Debt> = {}) =>
  proseChecked({ ...none, ...debt }).find([{ path, text }]);
const source = 'packages/sip/src/dialog/dialog.ts';

test('a refused word is found in comments, titles, messages and documents, with its line', () => {
  const planted = [
    [source, '// a\n// Whoever asks gets it.\n'],
    [source, "\nit('nobody hears it', () => {});\n"],
    [source, '\nthrow new Error(`the caller ${name} is told at once`);\n'],
    ['docs/a.md', '# A\nA remark follows.\n'],
    ['docs/a.md', '# A\nNames a server of yours.\n'],
  ] as const;
  for (const [path, text] of planted) assert.equal(find(path, text)[0]?.line, 2, text);
});

test('code, quoted names and short strings are not prose', () => {
  const texts = [
    "const told = tell('told', ears);",
    '// The effect `tell` is last.',
    'const door = /whoever asks it/;',
  ];
  for (const text of texts) assert.deepEqual(find(source, text), []);
  assert.deepEqual(find('docs/a.md', '```sh\ntell me all\n```\nSee `door`.\n'), []);
});

test('a word is right in the sentence that an exception names', () => {
  const exceptions = { files: [], sentences: ['the ear of the patient'] };
  const text = '// Measures the ear of the patient.';
  assert.deepEqual(find(source, text, { exceptions }), []);
  assert.equal(find(source, '// Measures the ear.', { exceptions }).length, 1);
});

test('a folder may keep as many as it had, and not one more', () => {
  const counts = { 'packages/sip/src/dialog': 1 };
  assert.deepEqual(find(source, '// Nobody asks.', { counts }), []);
  assert.match(
    find(source, '// Nobody tells.', { counts })[0]?.sentence ?? '',
    /had 1 such words, and has 2/,
  );
});

test('a folder that has fewer than its count says so, so that the count only shrinks', () => {
  const counts = { 'packages/sip/src/dialog': 1 };
  assert.match(find(source, '// The caller asks.', { counts })[0]?.sentence ?? '', /has 0 instead of 1/);
});

test('words of the field pass', () => {
  const text =
    '// The phone places a call; one response takes the place of the other; the alert takes place.';
  assert.deepEqual(find(source, text), []);
});

test('a title that begins with who or what is refused, with its line', () => {
  const titles = "test('a phone rings', () => {});\nit('what expires is gone', () => {});\n";
  const [violation, ...more] = find('packages/sip/src/dialog/dialog.test.ts', titles);
  assert.equal(violation?.line, 2);
  assert.deepEqual(more, []);
});

test('a relative who without a noun is refused', () => {
  for (const text of ['// Certified by who is trusted now.', '// Parts are served to who has credentials.']) {
    assert.equal(find(source, text).length, 1, text);
  }
});
