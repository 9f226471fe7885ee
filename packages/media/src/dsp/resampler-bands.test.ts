import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FrameResampler } from './frame-resampler.ts';
import { resample } from './resampler.ts';
import { toneLevel } from './tone-level.ts';

const rates = [8000, 16_000, 24_000, 48_000];
/** Level of the converted tone, in dB of full scale. */
const TONE_DB = -6.02;
/** Inaudible, even when a voice is converted twice. */
const PASSES_DB = 0.5;
/** Flat to 0.42 of the lower rate: 3.36 kHz of a telephone's 3.4, 6.7 kHz of wideband's 7. */
const PASSED = [0.02, 0.1, 0.25, 0.35, 0.42];
/** From 0.53 of the lower rate on nothing passes: −60 dB is far below the noise of 8-bit companding (−38 dB). */
const STOPPED = [0.53, 0.6, 0.75, 0.95];
const STOPS_DB = -60;

function tone(rate: number, hz: number, count: number): Int16Array {
  return Int16Array.from({ length: count }, (_, n) =>
    Math.round(16_384 * Math.sin((2 * Math.PI * hz * n) / rate)),
  );
}

/** A fifth of a second in frames of 20 ms, converted as in a mix. */
function convertFrames(from: number, to: number, hz: number): Int16Array {
  const resampler = new FrameResampler(from / 50, to / 50);
  const samples = tone(from, hz, from / 5);
  const out = new Int16Array(to / 5);
  for (let n = 0; n < 10; n++) {
    resampler.convert(
      samples.subarray((n * from) / 50, ((n + 1) * from) / 50),
      out.subarray((n * to) / 50, ((n + 1) * to) / 50),
    );
  }
  return out.subarray(to / 25);
}

/** A clip as a whole, without its ends. */
function convertClip(from: number, to: number, hz: number): Int16Array {
  const out = resample(tone(from, hz, Math.round(from / 5)), from, to);
  return out.subarray(to / 50, -to / 50);
}

const kinds = [
  { what: 'frames', from: rates, convert: convertFrames },
  { what: 'clips', from: [...rates, 22_050, 44_100], convert: convertClip },
] as const;

for (const { what, from: sources, convert } of kinds) {
  describe(`${what} of every rate to every other`, () => {
    for (const from of sources) {
      for (const to of rates) {
        if (from === to) continue;
        const lower = Math.min(from, to);
        it(`${from} to ${to} Hz: flat within ${PASSES_DB} dB up to 0.42 of the lower rate, 60 dB down from 0.53 on`, () => {
          for (const part of PASSED) {
            const out = convert(from, to, part * lower);
            const gainDb = toneLevel(out, to, part * lower) - TONE_DB;
            assert.ok(Math.abs(gainDb) < PASSES_DB, `${part * lower} Hz passes with ${gainDb.toFixed(2)} dB`);
            // Images mirror the pass band at the lower rate, where the higher rate has that band.
            const image = lower - part * lower;
            if (to > from && image < to / 2 && image / lower > 0.53) {
              const imageDb = toneLevel(out, to, image) - TONE_DB;
              assert.ok(imageDb < STOPS_DB, `image at ${image} Hz with ${imageDb.toFixed(1)} dB`);
            }
          }
          if (from < to) return;
          for (const part of STOPPED) {
            const hz = part * lower;
            if (hz >= from / 2) continue;
            // The power of everything that passes, at any alias frequency.
            const out = convert(from, to, hz);
            let power = 0;
            for (const sample of out) power += sample * sample;
            const restDb = 10 * Math.log10((2 * power) / out.length / 32_767 ** 2 + 1e-12) - TONE_DB;
            assert.ok(restDb < STOPS_DB, `${hz} Hz comes through with ${restDb.toFixed(1)} dB`);
          }
        });
      }
    }
  });
}
