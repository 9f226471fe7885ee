import assert from 'node:assert/strict';
import { test } from 'node:test';
import { features } from './features.ts';

const folder = 'packages/platform/src/features';
const filesOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([path, text]) => ({ path, text }));
const usage = {
  [`${folder}/usage/README.md`]: '# Usage',
  [`${folder}/usage/index.ts`]: "export { createUsage } from './create-usage.ts';",
  [`${folder}/usage/create-usage.ts`]:
    "export interface Usage extends Feature {}\nexport function createUsage(): Usage {\n  return { name: 'usage', };\n}",
  'packages/platform/src/create-features.ts':
    'const usage = createUsage();\nconst list: readonly Feature[] = [usage, calls];',
};
const findInFolder = (texts: Readonly<Record<string, string>>) =>
  features.find(filesOf({ ...usage, ...texts }));

test('a feature with its README, its public API and its entry in the list passes', () => {
  assert.deepEqual(findInFolder({}), []);
  assert.deepEqual(findInFolder({ [`${folder}/usage/rate-commands.ts`]: '' }), []);
  assert.deepEqual(findInFolder({ [`${folder}/usage/rates/table.ts`]: '' }), []);
});

test('a file at the top of a feature is named after its role', () => {
  const [violation] = findInFolder({ [`${folder}/usage/rates.ts`]: '' });
  assert.match(violation?.sentence ?? '', /roles commands, effects/);
});

test('the README of a feature exists and has at most 40 lines', () => {
  const path = `${folder}/usage/README.md`;
  assert.equal(findInFolder({ [path]: 'a line\n'.repeat(40) }).length, 0);
  assert.match(findInFolder({ [path]: 'a line\n'.repeat(41) })[0]?.sentence ?? '', /has 41 lines/);
  const { [path]: _, ...without } = usage;
  assert.match(features.find(filesOf(without))[0]?.sentence ?? '', /has a README/);
});

test('a feature is created by one function that its public API exports', () => {
  const made = `${folder}/usage/create-usage.ts`;
  assert.equal(findInFolder({ [made]: 'export const usage = 1;' }).length, 2);
  assert.match(findInFolder({ [`${folder}/usage/index.ts`]: '' })[0]?.sentence ?? '', /exports createUsage/);
});

test('a feature is only wired where it is created: a fourth decision there is refused', () => {
  const path = `${folder}/usage/create-usage.ts`;
  const with_ = (decisions: number) =>
    `export interface Usage extends Feature {}\n${'if (a) b();\n'.repeat(9)}export function createUsage(): Usage {\n${'  if (a) b(); // if (c)\n'.repeat(decisions)}  return { name: 'usage', };\n}\n${'if (a) b();\n'.repeat(9)}`;
  assert.deepEqual(findInFolder({ [path]: with_(3) }), []);
  assert.match(findInFolder({ [path]: with_(4) })[0]?.sentence ?? '', /holds 4 statements of if.* at most 3/);
});

test('a feature that no list of features has is refused', () => {
  const path = 'packages/platform/src/create-features.ts';
  const unlisted = 'const usage = createUsage();\nconst list: readonly Feature[] = [calls];';
  assert.match(findInFolder({ [path]: unlisted })[0]?.sentence ?? '', /in no list of features/);
  const there = 'const list: readonly Feature[] = [calls, createUsage(deps)];';
  assert.deepEqual(findInFolder({ [path]: there }), []);
});

test('a feature without more to give than every feature needs no interface of its own', () => {
  const creation = "export function createUsage(): Feature {\n  return { name: 'usage', };\n}";
  assert.deepEqual(findInFolder({ [`${folder}/usage/create-usage.ts`]: creation }), []);
});
