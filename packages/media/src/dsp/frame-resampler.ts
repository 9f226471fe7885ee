import { createResampler, type Resampler } from './resampler.ts';

/**
 * Half length of the filter in samples of the lower rate. The filter is flat to 0.84 of that rate's Nyquist frequency
 * (3.4 kHz for 8 kHz) and −80 dB from 1.06 of it. It delays by 3 ms for 8 kHz, 1.5 ms for 16 kHz, 1 ms for 24 kHz.
 */
const ZERO_CROSSINGS = 24;

/** Converts frames of 20 ms between two rates, one frame for each; the delay of the filter is part of the output. */
export class FrameResampler {
  readonly #resampler: Resampler;
  readonly inputSamples: number;
  readonly #before: Int16Array;

  /** Samples of a frame of 20 ms on each side: 160, 320, 480 or 960. */
  constructor(inputSamples: number, outputSamples: number) {
    this.inputSamples = inputSamples;
    this.#resampler = createResampler({
      from: inputSamples * 50,
      to: outputSamples * 50,
      zeroCrossings: ZERO_CROSSINGS,
    });
    this.#before = new Int16Array(Math.max(inputSamples, this.#resampler.delaySamples));
    // Prefill with half a filter of silence, so that each frame completes exactly one.
    this.#resampler.process(this.#before, 0, this.#resampler.delaySamples, new Int16Array(8), 0);
  }

  /** Converts one frame, or a frame of silence, and fills `out`. */
  convert(frame: Int16Array | undefined, out: Int16Array): void {
    this.#resampler.process(frame ?? this.#before, 0, this.inputSamples, out, 0);
  }
}
