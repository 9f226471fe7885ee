/*
 * The adaptive predictor and quantiser scale of one sub-band (ITU-T G.722 §3 and §6.2, whose block names are in brackets),
 * in 16-bit integers as the Recommendation defines them.
 */

/** Antilogarithms of the scale factor, one octave in 32 steps [SCALEL, SCALEH]. */
const antilog = Int16Array.of(
  ...[2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834],
  ...[2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008],
);

/** The parameters of a sub-band. */
export interface SubBandShape {
  /** The quantiser's scale at the start: 32 and 8. */
  readonly scale: number;
  /** Greatest logarithmic scale factor: 18432 and 22528. */
  readonly mostLogScale: number;
  /** Exponent at a logarithmic scale factor of 0: 8 and 10. */
  readonly exponent: number;
}

/** 0 to 4 kHz (G.722 §6.2.1). */
export const lowBand: SubBandShape = { scale: 32, mostLogScale: 18_432, exponent: 8 };
/** 4 to 8 kHz (G.722 §6.2.2). */
export const highBand: SubBandShape = { scale: 8, mostLogScale: 22_528, exponent: 10 };

/** State of one sub-band; equal in encoder and decoder while no bit is lost. */
export class SubBand {
  /** The predicted next sample. */
  prediction = 0;
  /** The quantiser's scale. */
  scale: number;
  readonly #shape: SubBandShape;
  #logScale = 0;
  /** Prediction of the zeros alone. */
  #zeroPart = 0;
  #pole1 = 0;
  #pole2 = 0;
  /** Reconstructed signal, and difference plus zero prediction, of the last two samples. */
  #r1 = 0;
  #p1 = 0;
  #p2 = 0;
  readonly #zeros = new Int32Array(6);
  readonly #differences = new Int32Array(6);

  constructor(shape: SubBandShape) {
    this.#shape = shape;
    this.scale = shape.scale;
  }

  /** Adapts to a quantised difference and the multiplier of its code. */
  adapt(difference: number, multiplier: number): void {
    this.#adaptScale(multiplier);
    this.#adaptPredictor(difference);
  }

  /** Copies the other sub-band's state. */
  copy(other: SubBand): void {
    this.prediction = other.prediction;
    this.scale = other.scale;
    this.#logScale = other.#logScale;
    this.#zeroPart = other.#zeroPart;
    this.#pole1 = other.#pole1;
    this.#pole2 = other.#pole2;
    this.#r1 = other.#r1;
    this.#p1 = other.#p1;
    this.#p2 = other.#p2;
    this.#zeros.set(other.#zeros);
    this.#differences.set(other.#differences);
  }

  #adaptScale(multiplier: number): void {
    const { mostLogScale, exponent } = this.#shape;
    // [LOGSCL, LOGSCH]: a leak of 127/128, so that transmission errors fade.
    const next = ((this.#logScale * 127) >> 7) + multiplier;
    this.#logScale = next < 0 ? 0 : next > mostLogScale ? mostLogScale : next;
    const mantissa = antilog[(this.#logScale >> 6) & 31]!;
    const shift = exponent - (this.#logScale >> 11);
    this.scale = (shift < 0 ? mantissa << -shift : mantissa >> shift) << 2;
  }

  #adaptPredictor(difference: number): void {
    const reconstructed = saturate(this.prediction + difference); // [RECONS]
    const partial = saturate(this.#zeroPart + difference); // [PARREC]
    const sign = partial >> 15;
    const isLike1 = sign === this.#p1 >> 15;
    const isLike2 = sign === this.#p2 >> 15;

    // [UPPOL2]
    const quadruple = saturate(this.#pole1 << 2);
    const turned = isLike1 ? (quadruple === -32768 ? 32767 : -quadruple) : quadruple;
    let pole2 = (isLike2 ? 128 : -128) + (turned >> 7) + ((this.#pole2 * 32512) >> 15);
    pole2 = pole2 > 12288 ? 12288 : pole2 < -12288 ? -12288 : pole2;
    // [UPPOL1]
    const bound = 15360 - pole2;
    let pole1 = (isLike1 ? 192 : -192) + ((this.#pole1 * 32640) >> 15);
    pole1 = pole1 > bound ? bound : pole1 < -bound ? -bound : pole1;

    // [UPZERO], [DELAYA] and [FILTEZ] in one pass from the oldest on.
    const zeros = this.#zeros;
    const differences = this.#differences;
    const step = difference === 0 ? 0 : 128;
    const sign0 = difference >> 15;
    let zeroPart = 0;
    for (let i = 5; i >= 0; i--) {
      const correction = differences[i]! >> 15 === sign0 ? step : -step;
      const zero = saturate(correction + ((zeros[i]! * 32640) >> 15));
      zeros[i] = zero;
      const delayed = i === 0 ? difference : differences[i - 1]!;
      differences[i] = delayed;
      zeroPart += (zero * saturate(delayed << 1)) >> 15;
    }
    this.#zeroPart = saturate(zeroPart);

    // [FILTEP], [PREDIC]
    const polePart = saturate(
      ((pole1 * saturate(reconstructed << 1)) >> 15) + ((pole2 * saturate(this.#r1 << 1)) >> 15),
    );
    this.#pole1 = pole1;
    this.#pole2 = pole2;
    this.#r1 = reconstructed;
    this.#p2 = this.#p1;
    this.#p1 = partial;
    this.prediction = saturate(polePart + this.#zeroPart);
  }
}

/** Saturates to 16 bits, as every addition of the Recommendation does. */
export function saturate(value: number): number {
  return value > 32767 ? 32767 : value < -32768 ? -32768 : value;
}
