import type { Clock, Logger } from '@jackfield/ports';

/** The certificate in use. */
export interface CertificateInUse {
  readonly from: Date;
  readonly to: Date;
  /** Whether the authority of the configuration issued it, for every name that is needed. */
  readonly isSound: boolean;
}

export interface RenewalDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly inUse: () => CertificateInUse;
  /** Orders a certificate and puts it to use. */
  readonly renew: () => Promise<void>;
}

/** Renews a certificate in time. */
export interface Renewal {
  start(): void;
  close(): void;
}

const hourMs = 3_600_000;
/** Let’s Encrypt counts five failed checks of a name in an hour. */
const firstPauseMs = 15 * 60_000;
const longestPauseMs = 6 * hourMs;

/**
 * A third of the life of a certificate is left for failures, as Let’s Encrypt recommends (30 of 90 days). Its dates are those of the wall clock,
 * which may be set: each wait lasts an hour at most.
 */
export function createRenewal({ clock, log, inUse, renew }: RenewalDeps): Renewal {
  let cancel: (() => void) | undefined;
  let isClosed = false;
  let pauseMs = firstPauseMs;

  function dueInMs(): number {
    const { from, to, isSound } = inUse();
    if (!isSound) return 0;
    const due = from.getTime() + ((to.getTime() - from.getTime()) * 2) / 3;
    return Math.max(0, due - clock.wallNow());
  }

  function wait(ms: number): void {
    if (isClosed) return;
    cancel = clock.startTimer(clock.now() + Math.min(ms, hourMs), () => void look());
  }

  async function look(): Promise<void> {
    const ms = dueInMs();
    if (ms > 0) return wait(ms);
    try {
      await renew();
      pauseMs = firstPauseMs;
      log.info({ expires: inUse().to.toISOString() }, 'certificate issued');
      wait(dueInMs());
    } catch (err) {
      if (isClosed) return;
      log.error({ err, retryInSeconds: pauseMs / 1000 }, 'certificate could not be ordered');
      const until = clock.now() + pauseMs;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      cancel = clock.startTimer(until, () => void look());
    }
  }

  return {
    start: () => void look(),
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}
