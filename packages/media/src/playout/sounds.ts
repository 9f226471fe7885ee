import { renderHoldMusic } from '../dsp/hold-music.ts';
import { amplitudeOf } from '../dsp/level.ts';
import { createOscillator } from '../dsp/oscillator.ts';

/** The built-in sounds as samples at the rate of the mix; each is rendered at its first use and kept. */
export interface Sounds {
  /** 500 ms at 440 Hz; two of them have 200 ms between. */
  beep(count: 1 | 2): Int16Array;
  /** North American ringing tone, one cycle: 440 + 480 Hz for 2 s, then 4 s of silence. */
  ringback(): Int16Array;
  holdMusic(): Int16Array;
}

const BEEP_DB = -12;
/** Each of the two tones at −19 dBm (Bellcore GR-506), which is about −22 dB of full scale. */
const RINGBACK_DB = -22;
/** Fade at the edges of a tone, in ms: a hard edge clicks. */
export const FADE_MS = 5;

/** The built-in sounds at `rate` samples a second. */
export function createSounds(rate: number): Sounds {
  const kept = new Map<string, Int16Array>();
  const once = (name: string, render: () => Int16Array): Int16Array => {
    let samples = kept.get(name);
    if (samples === undefined) {
      samples = render();
      kept.set(name, samples);
    }
    return samples;
  };
  return {
    beep: (count) =>
      once(`beep:${count}`, () => {
        const one = renderTones(rate, [440], BEEP_DB, 500);
        if (count === 1) return one;
        const two = new Int16Array(2 * one.length + Math.round(0.2 * rate));
        two.set(one);
        two.set(one, two.length - one.length);
        return two;
      }),
    ringback: () =>
      once('ringback', () => {
        const cycle = new Int16Array(6 * rate);
        cycle.set(renderTones(rate, [440, 480], RINGBACK_DB, 2000));
        return cycle;
      }),
    holdMusic: () => once('hold-music', () => renderHoldMusic(rate)),
  };
}

function renderTones(
  rate: number,
  frequencies: readonly number[],
  levelDb: number,
  durationMs: number,
): Int16Array {
  const count = Math.round((durationMs * rate) / 1000);
  const sum = new Float64Array(count);
  for (const hz of frequencies) createOscillator(rate, hz).addTo(sum, 0, count, amplitudeOf(levelDb));
  const fade = Math.round((FADE_MS * rate) / 1000);
  return Int16Array.from(sum, (sample, i) =>
    Math.round(sample * Math.min(1, (i + 1) / fade, (count - i) / fade)),
  );
}
