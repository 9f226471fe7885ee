/**
 * Says when packets arrived. Those of one poll are dated from its beginning: processing takes time, and the last packets
 * of a poll would look late, on a busy machine by a millisecond.
 */
export class Arrivals {
  readonly #now: () => number;
  #polledMs = Number.NaN;

  /** `now` never decreases. */
  constructor(now: () => number) {
    this.#now = now;
  }

  pollBegins(): void {
    this.#polledMs = this.#now();
  }

  pollEnds(): void {
    this.#polledMs = Number.NaN;
  }

  /** The time at which a packet arrived that is this old, on the clock of `now`. */
  msOf(ageMs: number): number {
    return (Number.isNaN(this.#polledMs) ? this.#now() : this.#polledMs) - ageMs;
  }
}
