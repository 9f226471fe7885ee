/** Decoded samples of a stream, until they are taken. Its memory follows what the stream has needed so far: most streams never need the limit. */
export class DecodedAudio {
  samples: Int16Array;
  length = 0;
  readonly #mostSamples: number;

  constructor(samples: number, mostSamples: number) {
    this.samples = new Int16Array(samples);
    this.#mostSamples = mostSamples;
  }

  /** Makes room for so many more samples, within the limit. */
  reserve(count: number): void {
    const needed = Math.min(this.#mostSamples, this.length + count);
    if (needed <= this.samples.length) return;
    const larger = new Int16Array(needed);
    larger.set(this.samples.subarray(0, this.length));
    this.samples = larger;
  }

  /** Moves the first samples to `out`. */
  moveTo(out: Int16Array, offset: number, count: number): void {
    const { samples } = this;
    for (let i = 0; i < count; i++) out[offset + i] = samples[i]!;
    if (count < this.length) samples.copyWithin(0, count, this.length);
    this.length -= count;
  }

  /** Returns the number of samples that were dropped. */
  clear(): number {
    const dropped = this.length;
    this.length = 0;
    return dropped;
  }
}
