import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testLineFloors, testLineRatio, testLines } from './test-lines.ts';

const file = (path: string, lines: number) => ({ path, text: 'x;\n'.repeat(lines) });

test('a library has at least as many lines of tests for each line of source as its floor', () => {
  for (const [library, floor] of Object.entries(testLineFloors)) {
    const enough = [
      file(`packages/${library}/src/a.ts`, 100),
      file(`packages/${library}/src/a.test.ts`, Math.ceil(100 * floor)),
    ];
    assert.deepEqual(testLines.find(enough), [], library);
    const short = [enough[0]!, file(enough[1]!.path, Math.ceil(100 * floor) - 1)];
    const [violation] = testLines.find(short);
    assert.equal(violation?.path, `packages/${library}/src`);
    assert.match(violation!.sentence, new RegExp(`at least ${floor} are required`));
  }
});

test('test support counts as tests, and declarations of foreign libraries count as neither', () => {
  const files = [
    file('packages/sip/src/a.ts', 10),
    file('packages/sip/src/testing/phone.ts', 4),
    file('packages/sip/src/b/a.test.ts', 6),
    file('packages/sip/src/foreign.d.ts', 500),
    file('packages/sip/src/a.md', 500),
    file('packages/sipper/src/a.ts', 500),
  ];
  assert.equal(testLineRatio(files, 'sip'), 1);
  assert.equal(testLineRatio(files, 'sdp'), undefined);
});
