import type { TrackShape } from './frame-writer.ts';

/** One frame of all tracks. */
export interface WaitingFrame {
  position: number;
  shapes: readonly TrackShape[];
  samples: Int16Array;
  timestampMs: number;
}

/**
 * Frames on their way, the oldest in front: first those that were sent and may have to be sent again, then those that wait. A ring of bounded
 * length whose memory is taken as it fills and then used again.
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

  /** Copies the frame to the end; returns how many tracks had the oldest one, where that had to go before it was ever sent. */
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

  /** The oldest that waits, which counts as sent from now on; it holds until the next `push`. */
  next(): WaitingFrame | undefined {
    if (this.unsent === 0) return undefined;
    return this.#ring[(this.#first + this.#sent++) % this.#most];
  }

  /** What was sent up to this position has come. */
  forget(position: number): void {
    while (this.#sent > 0 && this.#ring[this.#first]!.position <= position) {
      this.#sent--;
      this.#shift();
    }
  }

  /** What has not come for certain waits again. */
  rewind(): void {
    this.#sent = 0;
  }

  /** Gives the memory back. */
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
