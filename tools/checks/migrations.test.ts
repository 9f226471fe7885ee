import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from './migrations.ts';

const feature = 'packages/platform/src/features/sip-endpoints';
const first = `${feature}/migrations/0001-sip-endpoints.ts`;
const second = `${feature}/migrations/0002-flows.ts`;
const index = `${feature}/index.ts`;
const sound = {
  [first]: "export const table = { name: 'sip-endpoints/0001' };",
  [second]: "export const flows = { name: 'sip-endpoints/0002' };",
  [index]:
    "import { table } from './migrations/0001-sip-endpoints.ts';\nimport { flows } from './migrations/0002-flows.ts';\n",
};
const find = (texts: Readonly<Record<string, string>>) =>
  migrations.find(Object.entries({ ...sound, ...texts }).map(([path, text]) => ({ path, text })));

test('a registered migration passes', () => {
  assert.deepEqual(find({}), []);
});

test('two migrations of one feature have two numbers', () => {
  const twin = `${feature}/migrations/0002-instances.ts`;
  const text = `${sound[index]}import { twin } from './migrations/0002-instances.ts';`;
  const [violation] = find({ [twin]: 'export const twin = {};', [index]: text });
  assert.equal(violation?.path, twin);
});
