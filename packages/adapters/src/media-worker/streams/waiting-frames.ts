import type { TrackShape } from './dialects/stream-dialect.ts';

/** One frame of all tracks. */
export interface WaitingFrame {
  position: number;
  shapes: readonly TrackShape[];
  samples: Int16Array;
  timestampMs: number;
}

/**
 * Frames in flight, the oldest first: those that were sent and may have to be sent again, then those that wait. A ring of bounded length
 * that allocates memory as it fills and then reuses it.
 */
export class WaitingFrames {
  readonly #most: number;
  readonly #ring: WaitingFrame[] = [];
  #first = 0;
  #count = 0;
  #sent = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get unsent(): number {
    return this.#count - this.#sent;
  }

  /** Copies the frame to the end; returns the number of tracks in the oldest frame if it had to be dropped unsent. */
  push(position: number, timestampMs: number, shapes: readonly TrackShape[], samples: Int16Array): number {
    let dropped = 0;
    if (this.#count === this.#most) {
      if (this.#sent > 0) this.#sent--;
      else dropped = this.#ring[this.#first]!.shapes.length;
      this.#shift();
    }
    const at = (this.#first + this.#count++) % this.#most;
    const slot = this.#ring[at];
    if (slot === undefined) this.#ring[at] = { position, timestampMs, shapes, samples: samples.slice() };
    else {
      slot.position = position;
      slot.timestampMs = timestampMs;
      slot.shapes = shapes;
      if (slot.samples.length === samples.length) slot.samples.set(samples);
      else slot.samples = samples.slice();
    }
    return dropped;
  }

  /** The oldest waiting frame, which counts as sent from now on; valid until the next `push`. */
  next(): WaitingFrame | undefined {
    if (this.unsent === 0) return undefined;
    return this.#ring[(this.#first + this.#sent++) % this.#most];
  }

  /** Everything sent up to this position has arrived. */
  forget(position: number): void {
    while (this.#sent > 0 && this.#ring[this.#first]!.position <= position) {
      this.#sent--;
      this.#shift();
    }
  }

  /** Unconfirmed frames wait again. */
  rewind(): void {
    this.#sent = 0;
  }

  /** Releases the memory. */
  clear(): void {
    this.#ring.length = 0;
    this.#first = 0;
    this.#count = 0;
    this.#sent = 0;
  }

  #shift(): void {
    this.#first = (this.#first + 1) % this.#most;
    this.#count--;
  }
}
