import type { StreamNotice } from '@jackfield/ports';
import { RateLimit } from './rate-limit.ts';
import type { StreamLimits } from './stream-messages.ts';

interface LimitedNoticesDeps {
  readonly now: () => number;
  readonly notify: (notice: StreamNotice) => void;
  readonly limits: Pick<StreamLimits, 'noticesPerSecond'>;
}

/** Notifications that the other side of one stream causes as often as it likes: limited each second, the others counted. */
export class LimitedNotices {
  readonly #stream: string;
  readonly #deps: LimitedNoticesDeps;
  readonly #limit: RateLimit;
  #omitted = 0;
  #omittedSinceMs = 0;

  constructor(stream: string, deps: LimitedNoticesDeps) {
    this.#stream = stream;
    this.#deps = deps;
    this.#limit = new RateLimit(deps.now, deps.limits.noticesPerSecond);
  }

  send(notice: StreamNotice): void {
    if (this.#limit.admit()) this.#deps.notify(notice);
    else if (this.#omitted++ === 0) this.#omittedSinceMs = this.#deps.now();
  }

  /** Reports the number of the others, once a second at most; called in the frame loop. */
  tick(): void {
    if (this.#omitted > 0 && this.#deps.now() - this.#omittedSinceMs >= 1000) this.flush();
  }

  flush(): void {
    if (this.#omitted === 0) return;
    this.#deps.notify({ type: 'stream-notices-omitted', stream: this.#stream, count: this.#omitted });
    this.#omitted = 0;
  }
}
