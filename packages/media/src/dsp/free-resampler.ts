import type { Resampler } from './resampler.ts';
import { assertSampleRate, windowedSinc } from './windowed-sinc.ts';

/** Half length of the filter in zero crossings of the lower rate, as in FrameResampler. */
const ZERO_CROSSINGS = 24;
/** Table entries between two zero crossings; with linear interpolation the error is below −100 dB. */
const RESOLUTION = 512;

/**
 * Converts between any two rates with one shared table, so that an unusual rate needs no new table. Each output costs
 * more than with a table of its own (see `createResampler`). Throws a RangeError when a rate is not a whole number from
 * 4,000 to 384,000.
 */
export function createFreeResampler(from: number, to: number): Resampler {
  assertSampleRate(from);
  assertSampleRate(to);
  table ??= tabulate();
  const filter = table;
  const bandwidth = Math.min(1, to / from);
  const half = Math.ceil(ZERO_CROSSINGS / bandwidth);
  const taps = 2 * half;
  const scale = bandwidth * RESOLUTION;
  // Half a filter of zeros precedes the first sample, so output 0 is centred on input 0.
  let line = new Float64Array(taps + 1024);
  let kept = half - 1;
  // The next output is centred between two samples: after `start` whole ones and `phase` parts of `to`. Whole numbers, because a sum of
  // fractions drifts, and pieces of a stream then give another number of samples than the whole.
  let start = 0;
  let phase = 0;
  return {
    delaySamples: half,
    outputBound: (count) => Math.ceil(((count + 1) * to) / from) + 1,
    process(input, offset, count, out, outOffset) {
      if (line.length < kept + count) {
        const longer = new Float64Array(kept + count);
        longer.set(line.subarray(0, kept));
        line = longer;
      }
      for (let i = 0; i < count; i++) line[kept + i] = input[offset + i]!;
      const available = kept + count;
      let written = 0;
      while (start + taps <= available) {
        let distance = (1 - half - phase / to) * scale;
        let sum = 0;
        for (let t = 0; t < taps; t++, distance += scale) {
          const at = distance < 0 ? -distance : distance;
          const below = at | 0;
          const left = filter[below]!;
          sum += line[start + t]! * (left + (filter[below + 1]! - left) * (at - below));
        }
        const rounded = Math.round(sum * bandwidth);
        out[outOffset + written++] = rounded > 32767 ? 32767 : rounded < -32768 ? -32768 : rounded;
        phase += from;
        const passed = Math.floor(phase / to);
        start += passed;
        phase -= passed * to;
      }
      const consumed = Math.min(start, available);
      line.copyWithin(0, consumed, available);
      kept = available - consumed;
      start -= consumed;
      return written;
    },
  };
}

let table: Float64Array | undefined;

/** The right half of the filter, followed by zeros for windows beyond its end. */
function tabulate(): Float64Array {
  const values = new Float64Array((ZERO_CROSSINGS + 2) * RESOLUTION);
  for (let i = 0; i < ZERO_CROSSINGS * RESOLUTION; i++) {
    values[i] = windowedSinc(i / RESOLUTION, ZERO_CROSSINGS);
  }
  return values;
}
