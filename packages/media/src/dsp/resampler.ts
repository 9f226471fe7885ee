import { assertSampleRate, windowedSinc } from './windowed-sinc.ts';

/** A streaming sample-rate converter for one mono signal of 16-bit samples. */
export interface Resampler {
  /**
   * Consumes `count` samples and writes the completed outputs to `out` from `outOffset`. Returns their number, at most
   * `outputBound(count)`.
   */
  process(input: Int16Array, offset: number, count: number, out: Int16Array, outOffset: number): number;
  /** Upper bound of what `process` writes for `count` samples. */
  outputBound(count: number): number;
  /** Input samples that an output needs after its own position: half of the filter. */
  readonly delaySamples: number;
}

/** Rates in samples a second, and the filter's steepness. */
export interface ResamplerOptions {
  readonly from: number;
  readonly to: number;
  /** Half length of the filter in zero crossings of its sinc: longer is steeper. 32 keeps 87 % of the band flat. */
  readonly zeroCrossings?: number;
}

/** Tabulated phases at most; beyond, fractions are rounded: an error below −70 dB for rates without a small common factor. */
const MOST_PHASES = 1024;

/**
 * Polyphase FIR filter: output n is at input position n·from/to. The windowed sinc is tabulated for every possible
 * fraction, so each output is one dot product. Flat to 0.87 of the lower Nyquist frequency, −80 dB from 1.03 of it.
 * Throws a RangeError when a rate is not a whole number from 4,000 to 384,000.
 */
export function createResampler({ from, to, zeroCrossings = 32 }: ResamplerOptions): Resampler {
  assertSampleRate(from);
  assertSampleRate(to);
  const divisor = greatestDivisor(from, to);
  const up = to / divisor;
  const down = from / divisor;
  const phases = Math.min(up, MOST_PHASES);
  // Below 1 for a lower output rate: the filter is stretched to cut at the output's Nyquist frequency.
  const bandwidth = Math.min(1, to / from);
  const half = Math.ceil(zeroCrossings / bandwidth);
  const taps = 2 * half;
  const table = tableOf(phases, half, bandwidth, zeroCrossings);

  // `line` holds the samples that later outputs need. Half a filter of zeros precedes the first sample, so output 0 is
  // centred on input 0 and the delay needs no correction.
  let line = new Float64Array(taps + 1024);
  let kept = half - 1;
  // Start of the next output's window, in 1/up of an input sample from the start of the line.
  let position = 0;
  return {
    delaySamples: half,
    outputBound: (count) => Math.ceil(((count + 1) * up) / down) + 1,
    process(input, offset, count, out, outOffset) {
      if (line.length < kept + count) {
        const longer = new Float64Array(kept + count);
        longer.set(line.subarray(0, kept));
        line = longer;
      }
      for (let i = 0; i < count; i++) line[kept + i] = input[offset + i]!;
      const available = kept + count;
      let written = 0;
      let start = Math.floor(position / up);
      while (start + taps <= available) {
        const phase = position - start * up;
        const row = (phases === up ? phase : Math.floor((phase * phases) / up)) * taps;
        let sum = 0;
        for (let t = 0; t < taps; t++) sum += line[start + t]! * table[row + t]!;
        const rounded = Math.round(sum);
        out[outOffset + written++] = rounded > 32767 ? 32767 : rounded < -32768 ? -32768 : rounded;
        position += down;
        start = Math.floor(position / up);
      }
      const consumed = Math.min(start, available);
      line.copyWithin(0, consumed, available);
      kept = available - consumed;
      position -= consumed * up;
      return written;
    },
  };
}

/** Converts a whole clip at once; the result has round(length × to / from) samples. */
export function resample(samples: Int16Array, from: number, to: number): Int16Array {
  if (from === to) return samples.slice();
  const resampler = createResampler({ from, to });
  const length = Math.round((samples.length * to) / from);
  const padded = new Int16Array(samples.length + resampler.delaySamples + 1);
  padded.set(samples);
  const out = new Int16Array(resampler.outputBound(padded.length));
  const written = resampler.process(padded, 0, padded.length, out, 0);
  const result = new Int16Array(length);
  result.set(out.subarray(0, Math.min(written, length)));
  return result;
}

/** Tables by their parameters, so that a new leg does not compute one again. */
const tables = new Map<string, Float64Array>();
const MOST_TABLES = 32;

function tableOf(phases: number, half: number, bandwidth: number, zeroCrossings: number): Float64Array {
  const key = `${phases} ${half} ${bandwidth} ${zeroCrossings}`;
  let table = tables.get(key);
  if (table === undefined) {
    table = tabulate(phases, half, bandwidth, zeroCrossings);
    if (tables.size < MOST_TABLES) tables.set(key, table);
  }
  return table;
}

function tabulate(phases: number, half: number, bandwidth: number, zeroCrossings: number): Float64Array {
  const taps = 2 * half;
  const table = new Float64Array(phases * taps);
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0;
    for (let t = 0; t < taps; t++) {
      const x = t - (half - 1) - phase / phases;
      const value = windowedSinc(x * bandwidth, zeroCrossings);
      table[phase * taps + t] = value;
      sum += value;
    }
    // Normalise each phase to unity gain at 0 Hz: otherwise a constant input would ripple.
    for (let t = 0; t < taps; t++) table[phase * taps + t]! /= sum;
  }
  return table;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
