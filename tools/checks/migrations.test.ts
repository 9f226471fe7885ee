import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from './migrations.ts';

const feature = 'packages/platform/src/features/sip-endpoints';
const first = `${feature}/migrations/0001-sip-endpoints.ts`;
const second = `${feature}/migrations/0002-flows.ts`;
const index = `${feature}/index.ts`;
const platform = 'packages/platform/src/create-platform.ts';
const sound = {
  [first]: "export const table = { name: 'sip-endpoints/0001' };",
  [second]: "export const flows = { name: 'sip-endpoints/0002' };",
  [index]:
    "import { table } from './migrations/0001-sip-endpoints.ts';\nimport { flows } from './migrations/0002-flows.ts';\n",
  [platform]: 'const endpoints = createSipEndpoints({ ...deps });\nawait migrate([...endpoints.migrations]);',
};
const find = (texts: Readonly<Record<string, string>>) =>
  migrations.find(Object.entries({ ...sound, ...texts }).map(([path, text]) => ({ path, text })));

test('a registered migration passes', () => {
  assert.deepEqual(find({}), []);
});

test('a feature whose list the platform leaves out is refused', () => {
  const [violation] = find({ [platform]: 'const endpoints = createSipEndpoints({ ...deps });' });
  assert.match(violation?.sentence ?? '', /features\/sip-endpoints are not in its list/);
});

test('a feature may be put together in a file beside the platform’s, and its list is looked for there', () => {
  const part = 'packages/platform/src/create-phones.ts';
  const made = 'const endpoints = createSipEndpoints({ ...deps });';
  const listed = {
    [platform]: 'await migrate([...phones.migrations]);',
    [part]: `${made}\nreturn [...(endpoints?.migrations ?? [])];`,
  };
  assert.deepEqual(find(listed), []);
  assert.equal(find({ ...listed, [part]: made })[0]?.path, part);
});

test('two migrations of one feature have two numbers', () => {
  const twin = `${feature}/migrations/0002-instances.ts`;
  const text = `${sound[index]}import { twin } from './migrations/0002-instances.ts';`;
  const [violation] = find({ [twin]: 'export const twin = {};', [index]: text });
  assert.equal(violation?.path, twin);
});
