import { type Clock, type Metrics, sourceOf } from '@jackfield/ports';
import { type Problem, tooManyRequests } from '../kernel/problem.ts';
import type { SlidingWindow } from './sliding-window.ts';

/** Requests that no account answers for, by the source that they came from. */
export interface Strangers {
  /** Counts one; the refusal when its source has sent too many. */
  refusalOf(address: string): Problem | undefined;
}

interface StrangersDeps {
  readonly window: SlidingWindow;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'count'>;
  /** Whether an address may send as many as it likes. */
  readonly isTrusted: (address: string) => boolean;
}

export function createStrangers({ window, clock, metrics, isTrusted }: StrangersDeps): Strangers {
  return {
    refusalOf(address) {
      if (isTrusted(address)) return undefined;
      const state = window.take(sourceOf(address), clock.now());
      if (state.allowed) return undefined;
      metrics.count('jackfield_http_rate_limited_total', { by: 'source' });
      return tooManyRequests(
        'too many requests without an account came from this address; try again later',
        Math.max(1, Math.ceil(state.resetMs / 1000)),
      );
    },
  };
}
