import { type Clock, type Metrics, sourceOf } from '@jackfield/ports';
import { type Problem, tooManyRequests } from '../kernel/problem.ts';
import { SlidingWindow, type WindowLimits } from './sliding-window.ts';

/** Requests without an account, by source. */
export interface Strangers {
  /** Counts a request; gives the refusal when its source has sent too many. */
  refusalOf(address: string): Problem | undefined;
}

/** Failed authentications, by source. */
export interface FailedGuesses {
  /** The refusal when the source has failed too often; counts nothing. */
  refusalOf(address: string): Problem | undefined;
  note(address: string): void;
}

interface SourceLimitsDeps {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'count'>;
  /** Whether no limit of sources applies to an address. */
  readonly isTrusted: (address: string) => boolean;
}

export function createStrangers(limits: WindowLimits, deps: SourceLimitsDeps): Strangers {
  const { clock, metrics, isTrusted } = deps;
  const window = new SlidingWindow(limits);
  return {
    refusalOf(address) {
      if (isTrusted(address)) return undefined;
      const { allowed, resetMs } = window.take(sourceOf(address), clock.now());
      if (allowed) return undefined;
      metrics.count('jackfield_http_rate_limited_total', { by: 'source' });
      return tooMany('requests without an account', limits, resetMs);
    },
  };
}

export function createFailedGuesses(limits: WindowLimits, deps: SourceLimitsDeps): FailedGuesses {
  const { clock, metrics, isTrusted } = deps;
  const window = new SlidingWindow(limits);
  return {
    refusalOf(address) {
      // A trusted address is never counted, so its window is always empty.
      const { allowed, resetMs } = window.look(sourceOf(address), clock.now());
      if (allowed) return undefined;
      metrics.count('jackfield_http_not_listened_total');
      return tooMany('failed authentications', limits, resetMs);
    },
    note(address) {
      metrics.count('jackfield_http_failed_authentications_total');
      if (!isTrusted(address)) window.take(sourceOf(address), clock.now());
    },
  };
}

function tooMany(what: string, { limit, windowMs }: WindowLimits, resetMs: number): Problem {
  const waitSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  const allowed = `${limit} in ${windowMs / 1000} s are allowed`;
  return tooManyRequests(
    `too many ${what} came from this address: ${allowed}; try again in ${waitSeconds} s`,
    waitSeconds,
  );
}
