import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IdentifierDebt, identifiersChecked } from './identifiers.ts';

const folder = 'packages/sip/src/dialog';
const path = `${folder}/dialog.ts`;
const find = (text: string, debt: IdentifierDebt = {}, at = path) =>
  identifiersChecked(debt).find([{ path: at, text }]);

test('a refused word is found as a part of any name of the code, with its line', () => {
  for (const planted of ['const toldMs = 1;', 'tellOwner();', 'class OpenedFeed {}', '#ears = 1;']) {
    assert.equal(find(`let a = 1;\n${planted}\n`)[0]?.line, 2, planted);
  }
});

test('comments, strings, names of the wire and longer words pass', () => {
  for (const text of [
    '// The successor has ears and is opened, fed, told and placed.',
    "const a = 'told';",
    'const { name_wanted } = row;',
    'const nearest = early + placement + intelligence;',
  ]) {
    assert.deepEqual(find(text), [], text);
  }
});

test('verbs of the field pass: a machine is fed, rooms are placed, and a line feed is a character', () => {
  assert.deepEqual(find('leg.feed(input); placeRoom(room); lineFeedAfter(text);'), []);
  assert.equal(find('feedOf(stream);').length, 1);
  assert.equal(find('const firstPlace = 1;').length, 1);
});

test('a refused word is found in the name of a file, except of a migration', () => {
  assert.equal(find('', {}, `${folder}/event-feed.ts`).length, 1);
  assert.deepEqual(find('', {}, 'packages/platform/src/kernel/migrations/0003-event-feed.ts'), []);
});

test('a folder keeps the names that its debt lists, and no other name', () => {
  const debt = { [folder]: 'heirOf toldMs' };
  assert.deepEqual(find('heirOf(toldMs);', debt), []);
  assert.equal(find('heirOf(toldMs, toldS);', debt).length, 1);
});

test('a name that is gone has to leave the list, so that it only shrinks', () => {
  const [violation] = find('heirOf();', { [folder]: 'heirOf toldMs' });
  assert.equal(violation?.path, 'tools/checks/identifier-debt.json');
  assert.match(violation!.sentence, /no longer has the name 'toldMs'/);
});
