import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from './names.ts';

const refused = (path: string, text = '') => names.find([{ path, text }]).map((each) => each.sentence);

test('words that fit everything are refused in names of files and folders', () => {
  for (const word of ['manager', 'service', 'helper', 'utils', 'common', 'base', 'handler', 'processor']) {
    assert.equal(refused(`packages/sip/src/dialog-${word}.ts`).length, 1);
    assert.equal(refused(`packages/sip/src/${word}/dialog.ts`).length, 1);
  }
  assert.deepEqual(refused('packages/sip/src/dialog/base64.ts'), []);
  assert.deepEqual(refused('packages/ports/src/database.ts'), []);
});

test('they are refused in exported names, however these are exported', () => {
  const path = 'packages/sip/src/dialog/dialog.ts';
  for (const planted of [
    'export class DialogManager {}',
    'export const handleUtils = 1;',
    'export interface SIPHandler {}',
    'export async function baseUrl() {}',
    'export type { Dialog as DialogService };',
    "export { dialogHelper } from './x.ts';",
  ]) {
    assert.equal(refused(path, planted).length, 1, planted);
  }
  assert.deepEqual(
    refused(path, 'export const handled = 1; const manager = 2; export class Database {}'),
    [],
  );
  assert.deepEqual(refused(path, "export const cause = 'service'; // export class Manager"), []);
});

test('files are kebab-case', () => {
  assert.equal(refused('packages/sip/src/dialog/DialogState.ts').length, 1);
  assert.equal(refused('packages/sip/src/dialog/dialog_state.ts').length, 1);
  assert.deepEqual(refused('packages/sip/src/dialog/dialog-state.walk.test.ts'), []);
});
