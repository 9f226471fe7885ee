/** Samples of a 20 ms frame at 8 kHz. */
export const frameSamples = 160;

/** Level of one tone in a 20 ms frame at 8 kHz, in dB relative to a full-scale sine. */
export type ToneMeter = (frame: Int16Array) => number;

const meters = new Map<number, ToneMeter>();

/**
 * The meter of one frequency, with its tables computed once. A Hann window limits the leakage of tones that begin, end or fade within the
 * frame: 300 Hz away a linear fade over the frame stays 55 dB below its tone.
 */
export function toneMeter(hz: number): ToneMeter {
  const known = meters.get(hz);
  if (known !== undefined) return known;
  const cosines = new Float64Array(frameSamples);
  const sines = new Float64Array(frameSamples);
  for (let i = 0; i < frameSamples; i++) {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frameSamples);
    cosines[i] = window * Math.cos((2 * Math.PI * hz * i) / 8000);
    sines[i] = window * Math.sin((2 * Math.PI * hz * i) / 8000);
  }
  const meter: ToneMeter = (frame) => {
    let real = 0;
    let imaginary = 0;
    for (let i = 0; i < frameSamples; i++) {
      real += frame[i]! * cosines[i]!;
      imaginary += frame[i]! * sines[i]!;
    }
    // A sine of amplitude a gives a·n/4 under a Hann window.
    return 20 * Math.log10((4 * Math.hypot(real, imaginary)) / frameSamples / 32_767);
  };
  meters.set(hz, meter);
  return meter;
}
