/** Waiting samples of one rate. */
interface Block {
  readonly samples: Int16Array;
  readonly rate: number;
  start: number;
  end: number;
}

/** Minimum size of a block, so that small pieces do not waste memory. */
const BLOCK_SAMPLES = 4096;

/**
 * Waiting samples in order of arrival, each run at its own rate. Both the duration and the number of runs are limited;
 * a run of one sample uses a whole block.
 */
export class StreamQueue {
  readonly mostMs: number;
  readonly #mostBlocks: number;
  readonly #blocks: Block[] = [];
  #first = 0;
  #ms = 0;
  /** Samples added and removed since the start. */
  put = 0;
  taken = 0;

  constructor(mostMs: number) {
    this.mostMs = mostMs;
    // The highest supported rate is 48 kHz; the rest is for changes of rate.
    this.#mostBlocks = Math.ceil((mostMs * 48) / BLOCK_SAMPLES) + 256;
  }

  get ms(): number {
    return this.#ms;
  }

  get isEmpty(): boolean {
    return this.#first === this.#blocks.length;
  }

  /** The rate of the next samples; 0 when there are none. */
  get rate(): number {
    return this.#blocks[this.#first]?.rate ?? 0;
  }

  /** Copies all samples, or none and returns false when they do not fit. */
  add(samples: Int16Array, rate: number): boolean {
    const { length } = samples;
    if (length === 0) return true;
    const ms = (length * 1000) / rate;
    const last = this.#blocks.at(-1);
    const goesOn = last !== undefined && last.rate === rate && !this.isEmpty;
    const room = goesOn ? last.samples.length - last.end : 0;
    if (this.#ms + ms > this.mostMs) return false;
    if (length > room && this.#blocks.length - this.#first >= this.#mostBlocks) return false;
    const part = length < room ? length : room;
    if (part > 0) {
      last!.samples.set(part === length ? samples : samples.subarray(0, part), last!.end);
      last!.end += part;
    }
    const left = length - part;
    if (left > 0) {
      const block: Block = {
        samples: new Int16Array(Math.max(left, BLOCK_SAMPLES)),
        rate,
        start: 0,
        end: left,
      };
      block.samples.set(part === 0 ? samples : samples.subarray(part));
      this.#blocks.push(block);
    }
    this.put += length;
    this.#ms += ms;
    return true;
  }

  /** Passes up to `most` samples of the first run to `take`, in one or more calls; returns their number. */
  take(most: number, take: (samples: Int16Array, offset: number, count: number) => void): number {
    const { rate } = this;
    let left = most;
    while (left > 0 && !this.isEmpty) {
      const block = this.#blocks[this.#first]!;
      if (block.rate !== rate) break;
      const count = Math.min(left, block.end - block.start);
      take(block.samples, block.start, count);
      block.start += count;
      left -= count;
      if (block.start === block.end) this.#drop();
    }
    const count = most - left;
    this.taken += count;
    this.#ms = this.isEmpty ? 0 : this.#ms - (count * 1000) / rate;
    return count;
  }

  clear(): void {
    this.#blocks.length = 0;
    this.#first = 0;
    this.#ms = 0;
    this.taken = this.put;
  }

  #drop(): void {
    // The last block is filled until another one follows.
    this.#first++;
    if (this.isEmpty) {
      this.#blocks.length = 0;
      this.#first = 0;
    } else if (this.#first >= 16) this.#blocks.splice(0, this.#first);
    else return;
    this.#first = 0;
  }
}
