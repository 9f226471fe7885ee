/** Samples that are still being made: a play that reaches their end waits in silence for more. */
export interface GrowingSamples {
  /** Samples from `length` on are not valid yet. */
  samples: Int16Array;
  length: number;
  isOpen: boolean;
}

/** Creates empty samples with room for `seconds`. */
export function createGrowingSamples(rate: number, seconds = 4): GrowingSamples {
  return { samples: new Int16Array(rate * seconds), length: 0, isOpen: true };
}

/** Appends samples. Allocates, so it runs between ticks. */
export function grow(growing: GrowingSamples, more: Int16Array): void {
  const length = growing.length + more.length;
  if (length > growing.samples.length) {
    const larger = new Int16Array(2 * length);
    larger.set(growing.samples.subarray(0, growing.length));
    growing.samples = larger;
  }
  growing.samples.set(more, growing.length);
  growing.length = length;
}
