/** −6 dB, in parts of the lower Nyquist frequency; with 24 zero crossings and more no audible alias of a voice band is left. */
const CUT_OFF = 0.95;
/** Kaiser window, beta 8: side lobes at −80 dB, under the noise of 13-bit companded audio by a wide margin. */
const KAISER_BETA = 8;

/**
 * The low-pass filter of all resamplers at `x` zero crossings of the lower rate from its middle; 0 from `zeroCrossings` on. Its values a
 * sample of the lower rate apart add up to about 1.
 */
export function windowedSinc(x: number, zeroCrossings: number): number {
  const angle = Math.PI * CUT_OFF * x;
  const sinc = x === 0 ? 1 : Math.sin(angle) / angle;
  return CUT_OFF * sinc * kaiser(x / zeroCrossings);
}

/** Throws a RangeError when a sample rate is not a whole number from 4,000 to 384,000. */
export function assertSampleRate(rate: number): void {
  if (!Number.isInteger(rate) || rate < 4000 || rate > 384_000) {
    throw new RangeError(`a sample rate of ${rate} Hz is not between 4000 and 384000`);
  }
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : besselI0(KAISER_BETA * Math.sqrt(1 - x * x)) / besselI0(KAISER_BETA);
}

function besselI0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
