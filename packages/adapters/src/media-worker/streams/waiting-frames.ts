import type { TrackShape } from './frame-writer.ts';

/** One frame of all tracks that has not been sent. */
export interface WaitingFrame {
  position: number;
  shapes: readonly TrackShape[];
  samples: Int16Array;
  timestampMs: number;
}

/**
 * Frames that wait for a socket, the oldest in front: a ring of bounded length whose memory is taken as it fills, used again, and given
 * back when it has been emptied.
 */
export class WaitingFrames {
  readonly #most: number;
  #ring: WaitingFrame[] = [];
  #first = 0;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  get most(): number {
    return this.#most;
  }

  /** Copies the frame to the end; returns how many tracks had the oldest one that had to go for it. */
  push(position: number, timestampMs: number, shapes: readonly TrackShape[], samples: Int16Array): number {
    const isFull = this.#count === this.#most;
    const at = (this.#first + this.#count) % this.#most;
    const slot = this.#ring[at];
    const dropped = isFull ? slot!.shapes.length : 0;
    if (slot === undefined) this.#ring[at] = { position, timestampMs, shapes, samples: samples.slice() };
    else {
      slot.position = position;
      slot.timestampMs = timestampMs;
      slot.shapes = shapes;
      if (slot.samples.length === samples.length) slot.samples.set(samples);
      else slot.samples = samples.slice();
    }
    if (isFull) this.#first = (this.#first + 1) % this.#most;
    else this.#count++;
    return dropped;
  }

  /** Takes the oldest one out; it holds until the next `push`. */
  shift(): WaitingFrame | undefined {
    if (this.#count === 0) return undefined;
    const frame = this.#ring[this.#first]!;
    this.#first = (this.#first + 1) % this.#most;
    if (--this.#count === 0) this.clear();
    return frame;
  }

  clear(): void {
    this.#ring = [];
    this.#first = 0;
    this.#count = 0;
  }
}
