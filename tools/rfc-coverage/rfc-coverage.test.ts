import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageOf } from './coverage.ts';
import { pageOf } from './page.ts';
import { referencesIn } from './references.ts';

const inSip = (text: string) =>
  referencesIn(text, 3261).map(({ rfc, section }) => `${rfc} ${section}`.trim());

test('sections follow the RFC that is named before them', () => {
  assert.deepEqual(inSip('RFC 4475 §3.1.2.8, §3.1.2.10: spaces'), ['4475 3.1.2.8', '4475 3.1.2.10']);
  assert.deepEqual(inSip('§8.2.1 and RFC 3264 §5 or §6.1.'), ['3261 8.2.1', '3264 5', '3264 6.1']);
  assert.deepEqual(inSip('no tag, as RFC 2543 elements do (§12.1.1)'), ['3261 12.1.1']);
  assert.deepEqual(inSip('RFC 3581, RFC 3261 §7.1 and §7.1'), ['3581', '3261 7.1']);
});

test('a section without an RFC is one of the package’s own, and one of another document is none', () => {
  assert.deepEqual(inSip('§12.1.1'), ['3261 12.1.1']);
  assert.deepEqual(referencesIn('§12.1.1', undefined), []);
  assert.deepEqual(inSip('RFC 3550 §5 after docs/guides/streams.md §8, G.711 §2'), ['3550 5']);
});

const files = [
  {
    path: 'packages/sip/src/message/via.ts',
    text: "/** Reads (RFC 3261 §20.42). */\nexport const a = 'RFC 9999 §1';\n// See RFC 3581\n// §4, and\n\nlet b;\n",
  },
  {
    path: 'packages/sip/src/message/via.test.ts',
    text: "// RFC 1111\ndescribe('RFC 3581 things', () => {\n  it('§4: rport | is *filled*', () => {});\n});\nfor (const [why] of [['§4: a row']]) test(why, () => assert.equal(1, 1, 'not §4'));\n",
  },
  { path: 'packages/sip/src/testing/x.ts', text: '// RFC 2222 §1' },
  { path: 'packages/platform/src/x.ts', text: '// RFC 3333 §1' },
];

test('comments give sources, titles and rows of tables give tests', () => {
  assert.deepEqual(
    coverageOf(files).map(({ rfc, section, sources, tests }) => [rfc, section, sources.length, tests.length]),
    [
      [3261, '20.42', 1, 0],
      [3581, '', 0, 1],
      [3581, '4', 1, 2],
    ],
  );
});

test('the page has a chapter for each RFC and a row for each section, in order', () => {
  const page = pageOf(files);
  assert.match(page, /2 RFCs, 3 sections, 3 tests/);
  assert.ok(page.includes('| §20.42 | [sip/message/via.ts](../../packages/sip/src/message/via.ts) |  |'));
  assert.ok(page.includes('§4: rport \\| is \\*filled\\*<br>§4: a row |'));
  assert.ok(page.indexOf('## RFC 3261: SIP') < page.indexOf('## RFC 3581: Symmetric'));
});
