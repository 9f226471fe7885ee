import type { Instant } from '../../../kernel/machine.ts';
import type { EgressOutcome } from '../../../ports/egress.ts';
import type { DeliverySettings, RetryReason } from './delivery-settings.ts';

/** What came of an attempt, and what follows. */
export interface DeliveryVerdict {
  readonly status: 'delivered' | 'retrying' | 'failed';
  /** When it is tried again; null unless `retrying`. */
  readonly nextAttemptAt: Instant | null;
  /** Of the answer, where its head came. */
  readonly responseStatus: number | null;
  /** Why it was not delivered. */
  readonly problem: string | null;
}

/** Before the second attempt, the third, and so on: five retries reach over 12 minutes, and over one of silence with four. */
const pausesMs = [1_000, 5_000, 30_000, 120_000, 600_000];

/** A status of 200 to 299 is a success, whatever becomes of the body behind it. `attempts` counts the one that was made. */
export function judgeAttempt(
  outcome: EgressOutcome,
  settings: DeliverySettings,
  attempts: number,
  now: Instant,
): DeliveryVerdict {
  const responseStatus = ('problem' in outcome ? outcome.problem.status : outcome.status) ?? null;
  if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300) {
    return { status: 'delivered', nextAttemptAt: null, responseStatus, problem: null };
  }
  const problem = 'problem' in outcome ? outcome.problem.sentence : `the receiver answered ${outcome.status}`;
  const reason = reasonOf(outcome);
  const isTriedAgain = reason !== undefined && settings.retryOn.has(reason) && attempts <= settings.retries;
  if (!isTriedAgain) return { status: 'failed', nextAttemptAt: null, responseStatus, problem };
  const pause = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? 0;
  return { status: 'retrying', nextAttemptAt: now + pause, responseStatus, problem };
}

/** True when the receiver itself is out of order, rather than of another opinion. */
export function isSilent(outcome: EgressOutcome): boolean {
  const reason = reasonOf(outcome);
  return reason === 'ct' || reason === 'rt';
}

function reasonOf(outcome: EgressOutcome): RetryReason | undefined {
  const status = 'problem' in outcome ? outcome.problem.status : outcome.status;
  if (status !== undefined) return status >= 500 ? '5xx' : status >= 400 ? '4xx' : undefined;
  if (!('problem' in outcome)) return undefined;
  switch (outcome.problem.kind) {
    case 'unreachable':
    case 'connect-timeout':
      return 'ct';
    case 'read-timeout':
    case 'total-timeout':
    case 'broken':
      return 'rt';
    default:
      return undefined;
  }
}
