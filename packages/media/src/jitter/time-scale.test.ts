import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TimeScale } from './time-scale.ts';

const voice = (i: number): number =>
  6000 * Math.sin((2 * Math.PI * i) / 64) + 3000 * Math.sin((2 * Math.PI * i) / 32 + 1);

/** Noise without repetition. */
function noise(length: number, level: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state / 0x40000000 - 1) * level;
  });
}

describe('time-scaling', () => {
  const scale = new TimeScale(8000);

  it('finds one or more pitch periods and removes or repeats them inaudibly', () => {
    for (const shortens of [true, false]) {
      const pcm = new Int16Array(800);
      for (let i = 0; i < 400; i++) pcm[i] = voice(i);
      scale.search(pcm, 1000, 160);
      assert.equal(scale.lag % 64, 0);
      assert.ok(scale.likeness > 0.99);
      const length = shortens ? scale.shorten(pcm, 400, scale.lag) : scale.lengthen(pcm, 400, scale.lag);
      assert.equal(length, shortens ? 400 - scale.lag : 400 + scale.lag);
      for (let i = 0; i < length; i++) assert.ok(Math.abs(pcm[i]! - voice(i)) <= 2, `sample ${i}`);
    }
  });

  it('finds no likeness in noise, unless it is quiet', () => {
    scale.search(noise(400, 8000), 160, 160);
    assert.ok(scale.likeness < 0.6);
    scale.search(noise(400, 50), 160, 160);
    assert.deepEqual([scale.lag, scale.likeness], [160, 1]);
  });

  it('leaves no remainder that is too short for another step', () => {
    const pcm = noise(600, 8000);
    for (let total = 1; total <= 400; total++) {
      let left = total;
      for (let round = 0; left > 0; round++) {
        assert.ok(round < 30, `${total} ends`);
        scale.search(pcm, left, Math.min(left, 160));
        assert.ok(scale.lag >= 1 && scale.lag <= left);
        left -= scale.lag;
        assert.ok(left === 0 || left >= scale.minLag, `${left} left of ${total}`);
      }
    }
  });
});
