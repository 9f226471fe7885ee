import { pcmu } from '@jackfield/media';

/** The rate of the corpus: that of a telephone. */
export const lineRate = 8000;
const frameSamples = 160;

/** Uniform in [0, 1), the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed % 2147483647 || 1;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}

const amplitudeOf = (db: number) => 32767 * 10 ** (db / 20);

/** The samples at this level, relative to a full-scale square wave, over their loud parts. */
export function atLevel(samples: Float64Array, db: number): Float64Array {
  let loud = 0;
  let sum = 0;
  for (const sample of samples) {
    if (Math.abs(sample) < 300) continue;
    loud++;
    sum += sample * sample;
  }
  const gain = loud === 0 ? 1 : amplitudeOf(db) / Math.sqrt(sum / loud);
  return samples.map((sample) => sample * gain);
}

/** Linear interpolation; another `speed` changes length and pitch alike, as another speaker would. */
export function atLineRate(samples: Int16Array, sampleRate: number, speed: number): Float64Array {
  const step = (sampleRate * speed) / lineRate;
  const averaged = Math.max(1, Math.round(step));
  return Float64Array.from({ length: Math.floor((samples.length - averaged) / step) }, (_, n) => {
    const at = Math.floor(n * step);
    let sum = 0;
    for (let k = 0; k < averaged; k++) sum += samples[at + k]!;
    return sum / averaged;
  });
}

/** One tone with ramps of 5 ms, as recorders beep. */
export function beep(hz: number, ms: number, db: number): Float64Array {
  const length = Math.round((ms * lineRate) / 1000);
  const ramp = 40;
  return Float64Array.from({ length }, (_, n) => {
    const edge = Math.min(1, n / ramp, (length - n) / ramp);
    return amplitudeOf(db) * Math.SQRT2 * edge * Math.sin((2 * Math.PI * hz * n) / lineRate);
  });
}

/** Noise of a line or a street: white, or with most of its power below 300 Hz. */
export function addNoise(
  samples: Float64Array,
  db: number,
  kind: 'hiss' | 'street',
  random: () => number,
): Float64Array {
  const scale = amplitudeOf(db) * Math.sqrt(3);
  let low = 0;
  return samples.map((sample) => {
    const white = random() * 2 - 1;
    low += 0.1 * (white - low);
    return sample + scale * (kind === 'hiss' ? white : 4.4 * low);
  });
}

/** Frames as they come out of a decoder of G.711. */
export function framesOf(samples: Float64Array): readonly Int16Array[] {
  const coded = new Uint8Array(frameSamples);
  return Array.from({ length: Math.floor(samples.length / frameSamples) }, (_, index) => {
    const at = index * frameSamples;
    const frame = Int16Array.from(samples.subarray(at, at + frameSamples), (sample) =>
      Math.max(-32768, Math.min(32767, Math.round(sample))),
    );
    pcmu.encode(frame, frameSamples, coded, 0);
    const decoded = new Int16Array(frameSamples);
    pcmu.decode(coded, 0, frameSamples, decoded);
    return decoded;
  });
}
