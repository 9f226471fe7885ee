import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifiers } from './identifiers.ts';

const folder = 'packages/sip/src/dialog';
const path = `${folder}/dialog.ts`;
const find = (text: string, at = path) => identifiers.find([{ path: at, text }]);

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
  assert.equal(find('', `${folder}/event-feed.ts`).length, 1);
  assert.deepEqual(find('', 'packages/platform/src/kernel/migrations/0003-event-feed.ts'), []);
});
