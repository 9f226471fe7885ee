/** Admits a number of events each second. */
export class RateLimit {
  readonly #now: () => number;
  readonly #perSecond: number;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #admitted = 0;

  constructor(now: () => number, perSecond: number) {
    this.#now = now;
    this.#perSecond = perSecond;
  }

  admit(): boolean {
    const nowMs = this.#now();
    if (nowMs - this.#sinceMs >= 1000) {
      this.#sinceMs = nowMs;
      this.#admitted = 0;
    }
    if (this.#admitted === this.#perSecond) return false;
    this.#admitted++;
    return true;
  }
}
