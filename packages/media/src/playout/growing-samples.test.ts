import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGrowingSamples, grow } from './growing-samples.ts';
import { createSamplesPlay } from './play.ts';

const ones = (count: number, value = 500) => new Int16Array(count).fill(value);

test('a play of growing samples waits in silence at their end, continues with the next piece, and ends after the last', () => {
  const growing = createGrowingSamples(8_000);
  const play = createSamplesPlay(1, 160, growing, false);
  assert.ok(play.advance());
  assert.equal(play.active, false);
  grow(growing, ones(240));
  assert.ok(play.advance());
  assert.ok(play.active && play.frame.every((sample) => sample === 500));
  // Half a frame waits for the other half: a gap would be heard within a word.
  assert.ok(play.advance());
  assert.equal(play.active, false);
  grow(growing, ones(80, 700));
  growing.isOpen = false;
  assert.ok(play.advance());
  assert.deepEqual([play.frame[0], play.frame[159], play.frames], [500, 700, 2]);
  assert.equal(play.advance(), false);
});

test('samples grow beyond their first room, and a second play starts at the first sample', () => {
  const growing = createGrowingSamples(8_000, 0.02);
  for (let n = 1; n <= 10; n++) grow(growing, ones(160, n));
  growing.isOpen = false;
  const play = createSamplesPlay(1, 160, growing, true);
  const heard = Array.from({ length: 11 }, () => {
    play.advance();
    return play.frame[0];
  });
  assert.deepEqual(heard, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1]);
});
