/** Samples of one rate that wait to be played. */
interface Block {
  readonly samples: Int16Array;
  readonly rate: number;
  start: number;
  end: number;
}

/** Samples that a block holds at least, so that what comes in crumbs does not cost more than it says. */
const BLOCK_SAMPLES = 4096;

/**
 * Samples in the order in which they came, each run of them at its own rate. Bounded by its length in time and by the number of
 * runs; a run of one sample takes no more room than any other end of a run.
 */
export class FeedQueue {
  readonly mostMs: number;
  readonly #mostBlocks: number;
  readonly #blocks: Block[] = [];
  #first = 0;
  #ms = 0;
  /** Samples that ever came and ever left. */
  put = 0;
  taken = 0;

  constructor(mostMs: number) {
    this.mostMs = mostMs;
    // 48 kHz is the most that anybody plays; the rest is for changes of the rate.
    this.#mostBlocks = Math.ceil((mostMs * 48) / BLOCK_SAMPLES) + 256;
  }

  get ms(): number {
    return this.#ms;
  }

  get isEmpty(): boolean {
    return this.#first === this.#blocks.length;
  }

  /** The rate of the samples that are next; 0 when there are none. */
  get rate(): number {
    return this.#blocks[this.#first]?.rate ?? 0;
  }

  /** Copies all of the samples, or none where they would not fit: false. */
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

  /** Hands up to `most` samples of the first run to `take`, in one or several calls; returns how many. */
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
    // The last block goes on being filled until another one is behind it.
    this.#first++;
    if (this.isEmpty) {
      this.#blocks.length = 0;
      this.#first = 0;
    } else if (this.#first >= 16) this.#blocks.splice(0, this.#first);
    else return;
    this.#first = 0;
  }
}
