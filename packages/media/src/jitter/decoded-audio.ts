import { copySamples } from '../samples/sample-loops.ts';
import { allocateSamples } from '../samples/sample-memory.ts';

const none = new Int16Array(0);

/** Decoded samples of a stream, until they are taken. Its memory follows what the stream has needed so far: most streams never need the limit. */
export class DecodedAudio {
  samples: Int16Array = none;
  length = 0;
  readonly #frameSamples: number;
  readonly #mostSamples: number;

  constructor(frameSamples: number, mostSamples: number) {
    this.#frameSamples = frameSamples;
    this.#mostSamples = mostSamples;
  }

  /** Makes room for `count` more samples, within the limit. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.samples.length) return;
    // Whole frames, so that a few more samples do not allocate again.
    const frames = Math.ceil(needed / this.#frameSamples);
    const larger = allocateSamples(Math.min(this.#mostSamples, frames * this.#frameSamples));
    larger.set(this.samples.subarray(0, this.length));
    this.samples = larger;
  }

  /** Moves the first samples to `out`. */
  moveTo(out: Int16Array, offset: number, count: number): void {
    copySamples(this.samples, 0, count, out, offset);
    if (count < this.length) this.samples.copyWithin(0, count, this.length);
    this.length -= count;
  }

  /** Returns the number of samples that were dropped. */
  clear(): number {
    const dropped = this.length;
    this.length = 0;
    return dropped;
  }
}
