import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedExports } from './exports.ts';

const refused = (text: string) => namedExports.find([{ path: 'packages/sip/src/index.ts', text }]).length;

test('export * and default exports are refused', () => {
  assert.equal(refused("export * from './a.ts';"), 1);
  assert.equal(refused("export type * from './a.ts';"), 1);
  assert.equal(refused('export default class {}'), 1);
  assert.equal(refused('export { a as default };'), 1);
});

test('named exports are allowed', () => {
  assert.equal(refused("export { a } from './a.ts'; export const b = 1; // export * from"), 0);
});
