import assert from 'node:assert/strict';
import { test } from 'node:test';
import { features } from './features.ts';

const folder = 'packages/platform/src/features';
const find = (texts: Readonly<Record<string, string>>) =>
  features.find(Object.entries(texts).map(([path, text]) => ({ path, text })));

test('a feature is entered through its door', () => {
  const path = `${folder}/calls/store.ts`;
  const [violation] = find({ [path]: "import type { A } from '../accounts/store.ts';" });
  assert.match(violation?.sentence ?? '', /door, features\/accounts\/index\.ts/);
  assert.deepEqual(find({ [path]: "import type { A } from '../accounts/index.ts';" }), []);
});

test('features form no circle, not even of types or over a third one', () => {
  const calls = `${folder}/calls/effects.ts`;
  const mixes = `${folder}/multiparty-calls/index.ts`;
  const usage = `${folder}/usage/index.ts`;
  const texts = {
    [calls]: "import type { A } from '../multiparty-calls/index.ts';",
    [mixes]: "import { b } from '../usage/index.ts';",
    [usage]: "import { c } from '../calls/index.ts';",
  };
  const violations = find(texts);
  assert.equal(violations.length, 3);
  assert.match(violations[0]?.sentence ?? '', /calls → multiparty-calls → usage → calls/);
  assert.deepEqual(find({ ...texts, [usage]: 'export {};' }), []);
});

test('a test may go against the direction of features', () => {
  const violations = find({
    [`${folder}/calls/effects.test.ts`]: "import { a } from '../usage/index.ts';",
    [`${folder}/usage/index.ts`]: "import { c } from '../calls/index.ts';",
  });
  assert.deepEqual(violations, []);
});

test('the kernel imports no feature', () => {
  const path = 'packages/platform/src/kernel/outbox.ts';
  assert.equal(find({ [path]: "import type { C } from '../features/calls/index.ts';" }).length, 1);
  assert.deepEqual(find({ [path]: "import type { C } from './ids.ts';" }), []);
});

test("a feature does not use the package's own door", () => {
  const path = `${folder}/calls/store.ts`;
  assert.equal(find({ [path]: "import { x } from '../../index.ts';" }).length, 1);
});
