import { type Clock, type Metrics, sourceOf } from '@jackfield/ports';
import { type Problem, tooManyRequests } from '../kernel/problem.ts';
import type { SlidingWindow } from './sliding-window.ts';

/** Wrong credentials, by the source that they came from: one that failed too often is not listened to until that is old enough. */
export interface FailedGuesses {
  /** Undefined for an address that is listened to. */
  refusalOf(address: string): Problem | undefined;
  note(address: string): void;
}

interface FailedGuessesDeps {
  readonly window: SlidingWindow;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'count'>;
  /** Whether an address is never refused for its failures. */
  readonly isTrusted: (address: string) => boolean;
}

export function createFailedGuesses({ window, clock, metrics, isTrusted }: FailedGuessesDeps): FailedGuesses {
  return {
    refusalOf(address) {
      const failures = window.look(sourceOf(address), clock.now());
      if (failures.allowed) return undefined;
      metrics.count('jackfield_http_not_listened_total');
      return tooManyRequests(
        'too many failed authentications came from this address; try again later',
        Math.max(1, Math.ceil(failures.resetMs / 1000)),
      );
    },
    note(address) {
      metrics.count('jackfield_http_failed_authentications_total');
      if (!isTrusted(address)) window.take(sourceOf(address), clock.now());
    },
  };
}
