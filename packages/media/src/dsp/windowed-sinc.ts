/**
 * Cut-off (−6 dB) as a share of the lower Nyquist frequency; from 24 zero crossings on, a voice band has no audible
 * alias.
 */
const CUT_OFF = 0.95;
/** Kaiser window with beta 8: side lobes at −80 dB, far below the noise of 13-bit companded audio. */
const KAISER_BETA = 8;

/**
 * The low-pass filter of all resamplers, at `x` zero crossings of the lower rate from its centre; 0 from
 * `zeroCrossings` on. Its values at distances of one sample of the lower rate sum to about 1.
 */
export function windowedSinc(x: number, zeroCrossings: number): number {
  const angle = Math.PI * CUT_OFF * x;
  const sinc = x === 0 ? 1 : Math.sin(angle) / angle;
  return CUT_OFF * sinc * kaiser(x / zeroCrossings);
}

/** Throws a RangeError when a sample rate is not a whole number from 4,000 to 384,000. */
export function assertSampleRate(rate: number): void {
  if (!Number.isInteger(rate) || rate < 4000 || rate > 384_000) {
    throw new RangeError(`the sample rate is ${rate} Hz: a whole number from 4000 to 384000 is allowed`);
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
