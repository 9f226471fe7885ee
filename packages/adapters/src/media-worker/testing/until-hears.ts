import assert from 'node:assert/strict';
import { toneLevel } from '@jackfield/media';

const tones = [700, 1200, 1900];
/** Of 20 ms each. */
const framesOfLook = 15;
/** 12 s at least. */
const looks = 40;

/**
 * Resolves when 300 ms that a phone of these tests hears have these of the tones 700, 1200 and 1900 Hz and no other one. On a busy machine
 * packets arrive late, and gaps make a tone fainter and spread it; rejects with the levels of the last look.
 */
export async function untilHears(
  phone: { hear(frames: number): Promise<Int16Array> },
  ...expected: readonly number[]
): Promise<void> {
  let levels: readonly number[] = [];
  for (let look = 0; look < looks; look++) {
    const sound = await phone.hear(framesOfLook);
    levels = tones.map((hz) => Math.round(toneLevel(sound, 8000, hz)));
    if (tones.every((hz, at) => (expected.includes(hz) ? levels[at]! > -16 : levels[at]! < -40))) return;
  }
  assert.fail(`${tones} Hz are heard with ${levels} dB, expected are ${expected} Hz`);
}
