import type { StreamCounters, StreamLimits } from './stream-messages.ts';

interface RefusedFramesDeps {
  readonly now: () => number;
  readonly limits: Pick<StreamLimits, 'refusalsPerSecond'>;
  readonly counters: Pick<StreamCounters, 'framesRefused'>;
}

/** Counts the refused frames of one stream, and limits their answers. */
export class RefusedFrames {
  readonly #deps: RefusedFramesDeps;
  #sinceMs = 0;
  #answered = 0;
  count = 0;

  constructor(deps: RefusedFramesDeps) {
    this.#deps = deps;
  }

  /** One more; whether it is answered. */
  add(): boolean {
    const { now, limits, counters } = this.#deps;
    this.count++;
    counters.framesRefused++;
    const nowMs = now();
    if (nowMs - this.#sinceMs >= 1000) {
      this.#sinceMs = nowMs;
      this.#answered = 0;
    }
    return ++this.#answered <= limits.refusalsPerSecond;
  }
}
