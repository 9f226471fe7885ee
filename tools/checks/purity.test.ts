import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purity } from './purity.ts';

const domain = 'packages/platform/src/features/calls/domain/call.ts';
const lines = (path: string, text: string) => purity.find([{ path, text }]).map((each) => each.line);

for (const planted of [
  'Date.now()',
  'new Date()',
  'new Date',
  'Date()',
  'Math.random()',
  'setTimeout(fire, 20)',
  'queueMicrotask(fire)',
  'performance.now()',
  'process.hrtime()',
  'Buffer.from(text)',
  'await answer()',
]) {
  test(`${planted} is refused in pure code`, () => {
    assert.deepEqual(lines(domain, `const first = 1;\nconst second = ${planted};\n`), [2]);
    assert.deepEqual(lines('packages/sip/src/dialog/dialog.ts', `${planted};`), [1]);
  });
}

test('a date of a given instant, words in comments and strings, and names of fields are allowed', () => {
  const text = [
    'const at = new Date(now).toISOString();',
    '// Date.now() is not for us',
    "const word = 'setTimeout';",
    'queue.process(frame); state.await = 1;',
  ].join('\n');
  assert.deepEqual(lines(domain, text), []);
});

test('the edges of sip and media, other folders and tests may read a clock', () => {
  for (const path of [
    'packages/sip/src/transport/tcp.ts',
    'packages/media/src/io/worker.ts',
    'packages/platform/src/features/calls/effects.ts',
    'packages/sip/src/dialog/dialog.test.ts',
  ]) {
    assert.deepEqual(lines(path, 'Date.now();'), []);
  }
});
