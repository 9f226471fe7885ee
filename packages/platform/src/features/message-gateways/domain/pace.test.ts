import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mostParts } from './message-parts.ts';
import { nextTurn, type Pace, unpaced } from './pace.ts';

test('a second has at most one more message than the pace, for all arrivals', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 20 }), (waits, perSecond) => {
      let pace: Pace = unpaced;
      let now = 1_000_000;
      const turns: number[] = [];
      for (const wait of waits) {
        now += wait;
        const turn = nextTurn(pace, perSecond, now, now + 5_000);
        if (turn === undefined) continue;
        assert.ok(turn.at >= now && turn.at <= now + 5_000);
        turns.push(turn.at);
        pace = turn.pace;
      }
      for (const [index, at] of turns.entries()) {
        const within = turns.slice(index).filter((each) => each < at + 1000).length;
        // The burst after a pause, and the messages due within the second.
        assert.ok(within <= 2 * perSecond + 1, `${within} messages in a second at ${perSecond}/s`);
      }
      const lasted = (turns.at(-1) ?? 0) - (turns[0] ?? 0);
      assert.ok(turns.length <= perSecond * (lasted / 1000 + 1) + 1);
    }),
  );
});

test('a message that would wait too long gets no turn and uses none', () => {
  let pace: Pace = unpaced;
  for (let n = 0; n < 3; n++) pace = nextTurn(pace, 1, 10_000, 12_500)!.pace;
  assert.equal(nextTurn(pace, 1, 10_000, 12_500), undefined);
  assert.equal(nextTurn(pace, 1, 10_600, 13_100)?.at, 13_000);
});

test('the number of parts is never too small: characters outside the alphabet count as UCS-2', () => {
  assert.deepEqual(['x'.repeat(160), 'x'.repeat(161), 'x'.repeat(307)].map(mostParts), [1, 2, 3]);
  assert.deepEqual(['я'.repeat(70), 'я'.repeat(71), '[]'.repeat(40)].map(mostParts), [1, 2, 2]);
});

test('the number of parts counts a character of two units whole', () => {
  const [emoji, text] = ['😀', 'x'.repeat(66)];
  assert.deepEqual([text + emoji + text, emoji.repeat(66), emoji.repeat(67)].map(mostParts), [3, 2, 3]);
});
