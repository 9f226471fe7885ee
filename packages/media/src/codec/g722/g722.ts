import type { AudioCodec } from '../audio-codec.ts';
import {
  decisionLevels,
  fourBitLevels,
  highDecisionLevel,
  highMultipliers,
  lowMultipliers,
  negativeCodes,
  positiveCodes,
  sixBitLevels,
  twoBitLevels,
} from './quantisers.ts';
import { highBand, lowBand, SubBand, saturate } from './sub-band.ts';

/*
 *            ┌─► low band, 0–4 kHz ──► ADPCM, 6 bits ─┐
 * 16 kHz ─► QMF                                       ├─► one byte for two samples
 *            └─► high band, 4–8 kHz ─► ADPCM, 2 bits ─┘      hhllllll
 */

/** Half of the coefficients of the quadrature mirror filters; the other half mirrors it (G.722 §5.2.1). */
const mirror = Int16Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11);
const taps = 24;

/**
 * G.722 at 64 kbit/s, payload type 9, for one stream: encoder and decoder are stateful, because both adapt to the
 * signal. RFC 3551 §4.5.2: the RTP clock rate is 8000, half of the sample rate.
 */
export class G722 implements AudioCodec {
  readonly name = 'G722';
  readonly clockRate = 8000;
  readonly sampleRate = 16_000;
  readonly frameSamples = 320;
  readonly frameBytes = 160;
  readonly remembers = true;
  readonly #encoderLow = new SubBand(lowBand);
  readonly #encoderHigh = new SubBand(highBand);
  readonly #decoderLow = new SubBand(lowBand);
  readonly #decoderHigh = new SubBand(highBand);
  /** The last samples, stored twice in a row, so that each window is contiguous. */
  readonly #analysis = new Int32Array(2 * taps);
  readonly #synthesis = new Int32Array(2 * taps);
  #analysisAt = 0;
  #synthesisAt = 0;

  encode(samples: Int16Array, count: number, out: Uint8Array, outOffset: number): number {
    const bytes = count >> 1;
    for (let i = 0; i < bytes; i++) {
      out[outOffset + i] = this.#encodePair(samples[2 * i]!, samples[2 * i + 1]!);
    }
    return bytes;
  }

  decode(bytes: Uint8Array, offset: number, length: number, out: Int16Array, outOffset = 0): number {
    const room = (out.length - outOffset) >> 1;
    const count = length < room ? length : room;
    for (let i = 0; i < count; i++) this.#decodePair(bytes[offset + i]!, out, outOffset + 2 * i);
    return 2 * count;
  }

  samplesIn(length: number): number {
    return 2 * length;
  }

  continueFrom(other: AudioCodec): void {
    if (!(other instanceof G722)) return;
    this.#encoderLow.copy(other.#decoderLow);
    this.#encoderHigh.copy(other.#decoderHigh);
  }

  #encodePair(first: number, second: number): number {
    const line = this.#analysis;
    const at = this.#analysisAt;
    push(line, at, first, second);
    this.#analysisAt = (at + 2) % taps;
    const from = this.#analysisAt;
    let odd = 0;
    let even = 0;
    for (let i = 0; i < 12; i++) {
      odd += line[from + 2 * i]! * mirror[i]!;
      even += line[from + 2 * i + 1]! * mirror[11 - i]!;
    }
    // 2¹² is the filters' gain, 2 the sum of two filters; the algorithm needs 15 bits.
    const low = this.#encodeLow((even + odd) >> 14);
    return (this.#encodeHigh((even - odd) >> 14) << 6) | low;
  }

  #encodeLow(sample: number): number {
    const band = this.#encoderLow;
    const difference = saturate(sample - band.prediction);
    const magnitude = difference < 0 ? -(difference + 1) : difference;
    let level = 1;
    while (level < 30 && magnitude >= (decisionLevels[level]! * band.scale) >> 12) level++;
    const code = (difference < 0 ? negativeCodes : positiveCodes)[level]!;
    adaptLow(band, code);
    return code;
  }

  #encodeHigh(sample: number): number {
    const band = this.#encoderHigh;
    const difference = saturate(sample - band.prediction);
    const magnitude = difference < 0 ? -(difference + 1) : difference;
    const isLarge = magnitude >= (highDecisionLevel * band.scale) >> 12;
    const code = (difference < 0 ? 0 : 2) + (isLarge ? 0 : 1);
    band.adapt((band.scale * twoBitLevels[code]!) >> 15, highMultipliers[code]!);
    return code;
  }

  #decodePair(byte: number, out: Int16Array, outOffset: number): void {
    const lowCode = byte & 0x3f;
    const highCode = byte >> 6;
    const low = this.#decoderLow;
    const high = this.#decoderHigh;
    const lowSample = limit(low.prediction + ((low.scale * sixBitLevels[lowCode]!) >> 15));
    adaptLow(low, lowCode);
    const difference = (high.scale * twoBitLevels[highCode]!) >> 15;
    const highSample = limit(high.prediction + difference);
    high.adapt(difference, highMultipliers[highCode]!);

    const line = this.#synthesis;
    const at = this.#synthesisAt;
    push(line, at, lowSample + highSample, lowSample - highSample);
    this.#synthesisAt = (at + 2) % taps;
    const from = this.#synthesisAt;
    let first = 0;
    let second = 0;
    for (let i = 0; i < 12; i++) {
      second += line[from + 2 * i]! * mirror[i]!;
      first += line[from + 2 * i + 1]! * mirror[11 - i]!;
    }
    out[outOffset] = saturate(first >> 11);
    out[outOffset + 1] = saturate(second >> 11);
  }
}

/** Both sides adapt to the upper four of the six bits, which also exist at 48 and 56 kbit/s. */
function adaptLow(band: SubBand, code: number): void {
  const upper = code >> 2;
  band.adapt((band.scale * fourBitLevels[upper]!) >> 15, lowMultipliers[upper]!);
}

function push(line: Int32Array, at: number, first: number, second: number): void {
  line[at] = first;
  line[at + 1] = second;
  line[at + taps] = first;
  line[at + taps + 1] = second;
}

/** 15 bits [LIMIT]. */
function limit(value: number): number {
  return value > 16383 ? 16383 : value < -16384 ? -16384 : value;
}
