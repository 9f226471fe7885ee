import { FrameResampler } from '../dsp/frame-resampler.ts';
import { isSilent } from '../dsp/level.ts';
import type { Source } from './source.ts';

/** What an audience adds up: a source, or a source at the audience's rate. */
export type Heard = Pick<Source, 'frame' | 'active'>;

/** A source as listeners of another rate hear it; converted once in a step for all of them. */
export class ConvertedSource implements Heard {
  readonly source: Source;
  readonly frame: Int16Array;
  active = false;
  /** Audiences that it is heard by. */
  audiences = 0;
  readonly #resampler: FrameResampler;
  #step = Number.NEGATIVE_INFINITY;
  /** Whether the filter still holds something that sounded. */
  #rings = false;

  constructor(source: Source, frameSamples: number) {
    this.source = source;
    this.frame = new Int16Array(frameSamples);
    this.#resampler = new FrameResampler(source.frame.length, frameSamples);
  }

  /** Takes the source's present frame over. To be asked before each sum. */
  refresh(step: number): void {
    if (step === this.#step) return;
    this.#step = step;
    const { source } = this;
    if (!source.active && !this.#rings) {
      this.active = false;
      return;
    }
    this.#resampler.convert(source.active ? source.frame : undefined, this.frame);
    // The end of what was heard is still in the filter: one frame of silence brings it out.
    this.#rings = source.active;
    this.active = source.active || !isSilent(this.frame, this.frame.length);
  }
}
