import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Concealment } from './concealment.ts';

/** A voice of 125 Hz: a fundamental and two overtones, with a period of 8 ms. */
const voice = (i: number, rate = 8000): number => {
  const angle = (2 * Math.PI * 125 * i) / rate;
  return 6000 * Math.sin(angle) + 3000 * Math.sin(2 * angle + 1) + 2000 * Math.sin(5 * angle + 2);
};

function played(samples: number, rate = 8000): Concealment {
  const concealment = new Concealment(rate);
  const frame = new Int16Array(160);
  for (let from = 0; from < samples; from += 160) {
    for (let i = 0; i < 160; i++) frame[i] = voice(from + i, rate);
    concealment.record(frame, 0, 160);
  }
  return concealment;
}

function rms(samples: Int16Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += samples[i]! ** 2;
  return Math.sqrt(sum / (to - from));
}

describe('concealment as in G.711 Appendix I', () => {
  for (const rate of [8000, 16_000]) {
    it(`continues the pitch of the played audio, in phase, at ${rate} Hz`, () => {
      const concealment = played(rate / 5, rate);
      const out = new Int16Array(rate / 100);
      concealment.conceal(out, 0, out.length);
      for (let i = 0; i < out.length; i++) {
        assert.ok(Math.abs(out[i]! - voice(rate / 5 + i, rate)) < 150, `sample ${i}`);
      }
    });
  }

  it('stays in phase when it repeats two and three periods instead of one', () => {
    const concealment = played(1600);
    const out = new Int16Array(320);
    concealment.conceal(out, 0, 320);
    for (let i = 80; i < 320; i++) {
      const gain = 1 - (0.2 * (i - 80)) / 80;
      assert.ok(Math.abs(out[i]! - gain * voice(1600 + i)) < 200, `sample ${i}`);
    }
  });

  it('is a fifth quieter every 10 ms after the first, and silent from 60 ms on', () => {
    const concealment = played(1600);
    const out = new Int16Array(800);
    concealment.conceal(out, 0, 800);
    const full = rms(out, 0, 64);
    for (const [tenths, share] of [
      [1, 0.9],
      [2, 0.7],
      [3, 0.5],
      [4, 0.3],
      [5, 0.1],
    ] as const) {
      const level = rms(out, tenths * 80 + 8, tenths * 80 + 72) / full;
      assert.ok(Math.abs(level - share) < 0.08, `${tenths}: ${level}`);
    }
    assert.deepEqual(new Set(out.subarray(480)), new Set([0]));
    assert.ok(concealment.isSilent);
  });

  it('makes no step larger than the voice has, neither where it starts, repeats, nor ends', () => {
    let greatest = 0;
    for (let i = 1; i < 800; i++) greatest = Math.max(greatest, Math.abs(voice(i) - voice(i - 1)));
    for (const erased of [40, 160, 320, 640]) {
      const concealment = played(1600);
      const out = new Int16Array(erased + 160);
      concealment.conceal(out, 0, erased);
      // The next audio is half a period off, the worst case for the cross-fade.
      for (let i = 0; i < 160; i++) out[erased + i] = voice(1600 + erased + i + 32);
      concealment.merge(out, erased, 160);
      assert.equal(concealment.active, false);
      let last = voice(1599);
      for (const sample of out) {
        assert.ok(Math.abs(sample - last) <= greatest * 1.25, `${erased}: ${last} → ${sample}`);
        last = sample;
      }
    }
  });

  it('starts at the last sample, also when the voice has a slower component', () => {
    const swinging = (i: number) => voice(i) + 9000 * Math.sin((2 * Math.PI * 20 * i) / 8000);
    const before = Int16Array.from({ length: 420 }, (_, i) => swinging(i));
    const concealment = new Concealment(8000);
    concealment.record(before, 0, 420);
    const out = new Int16Array(40);
    concealment.conceal(out, 0, 40);
    let greatest = 0;
    for (let i = 1; i < 420; i++) greatest = Math.max(greatest, Math.abs(before[i]! - before[i - 1]!));
    assert.ok(Math.abs(out[0]! - before[419]!) <= greatest, `${before[419]} → ${out[0]}`);
  });

  it('conceals silence with silence', () => {
    const concealment = new Concealment(8000);
    const out = new Int16Array(480).fill(1);
    concealment.conceal(out, 0, 480);
    assert.deepEqual(new Set(out), new Set([0]));
  });

  it('keeps within 16 bits at full scale', () => {
    const concealment = new Concealment(8000);
    const loud = Int16Array.from({ length: 400 }, (_, i) => (i % 57 < 28 ? 32_767 : -32_768));
    concealment.record(loud, 0, 400);
    const out = new Int16Array(160);
    concealment.conceal(out, 0, 160);
    let turns = 0;
    for (let i = 1; i < 160; i++) if (Math.sign(out[i]!) !== Math.sign(out[i - 1]!)) turns++;
    assert.ok(turns >= 4 && turns <= 8, `${turns}`);
  });
});
