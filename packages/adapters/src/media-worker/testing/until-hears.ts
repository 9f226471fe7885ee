import assert from 'node:assert/strict';
import { toneLevel } from '@jackfield/media';

const tones = [700, 1200, 1900];
/** Of 20 ms each. */
const framesOfLook = 15;
/** 12 s at least. */
const looks = 40;

/**
 * Resolves when 300 ms that a phone of these tests hears have these of the tones 700, 1200 and 1900 Hz and no other one; the 300 ms before do
 * not count. On a busy machine packets arrive late, and gaps make a tone fainter and spread it, so there is another look; a tone as loud as
 * that of a phone that must not be heard is never forgiven. Rejects with the levels of the last look.
 */
export async function untilHears(
  phone: { hear(frames: number): Promise<Int16Array> },
  ...expected: readonly number[]
): Promise<void> {
  await phone.hear(framesOfLook);
  let levels: readonly number[] = [];
  const all = (isRight: (level: number, isExpected: boolean) => boolean): boolean =>
    levels.every((level, at) => isRight(level, expected.includes(tones[at]!)));
  for (let look = 0; look < looks; look++) {
    const sound = await phone.hear(framesOfLook);
    levels = tones.map((hz) => toneLevel(sound, 8000, hz));
    if (all((level, isExpected) => (isExpected ? level > -15 : level < -40))) return;
    if (!all((level, isExpected) => isExpected || level <= -20)) break;
  }
  assert.fail(`${tones} Hz are heard with ${levels.map(Math.round)} dB, expected are ${expected} Hz`);
}
