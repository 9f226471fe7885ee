import { FrameResampler } from '../dsp/frame-resampler.ts';
import { isSilent } from '../dsp/level.ts';
import { allocateSamples } from '../samples/sample-memory.ts';
import type { Source } from './source.ts';

/** A source at the audience's rate, converted or not. */
export type Heard = Pick<Source, 'frame' | 'active'>;

/** A source at another rate, converted once per step for all listeners of that rate. */
export class ConvertedSource implements Heard {
  readonly source: Source;
  readonly frame: Int16Array;
  active = false;
  /** Number of audiences that use it. */
  audiences = 0;
  readonly #resampler: FrameResampler;
  #step = Number.NEGATIVE_INFINITY;
  /** Whether the filter still contains audio. */
  #rings = false;

  constructor(source: Source, frameSamples: number) {
    this.source = source;
    this.frame = allocateSamples(frameSamples);
    this.#resampler = new FrameResampler(source.frame.length, frameSamples);
  }

  /** Converts the source's present frame. To be called before each sum. */
  refresh(step: number): void {
    if (step === this.#step) return;
    this.#step = step;
    const { source } = this;
    if (!source.active && !this.#rings) {
      this.active = false;
      return;
    }
    this.#resampler.convert(source.active ? source.frame : undefined, this.frame);
    // The filter delays the end of the audio: one more frame of silence flushes it.
    this.#rings = source.active;
    this.active = source.active || !isSilent(this.frame, this.frame.length);
  }
}
