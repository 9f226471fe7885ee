import { RateLimit } from './rate-limit.ts';
import type { StreamCounters, StreamLimits } from './stream-messages.ts';

interface RefusedFramesDeps {
  readonly now: () => number;
  readonly limits: Pick<StreamLimits, 'refusalsPerSecond'>;
  readonly counters: Pick<StreamCounters, 'framesRefused'>;
}

/** Counts the refused frames of one stream, and limits their answers. */
export class RefusedFrames {
  readonly #counters: RefusedFramesDeps['counters'];
  readonly #answers: RateLimit;
  count = 0;

  constructor({ now, limits, counters }: RefusedFramesDeps) {
    this.#counters = counters;
    this.#answers = new RateLimit(now, limits.refusalsPerSecond);
  }

  /** One more; whether it is answered. */
  add(): boolean {
    this.count++;
    this.#counters.framesRefused++;
    return this.#answers.admit();
  }
}
