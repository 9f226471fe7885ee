import type { EgressOutcome, EgressProblemKind, Instant } from '@jackfield/ports';
import type { DeliverySettings, RetryReason } from './delivery-settings.ts';

/** The result of an attempt, and what follows. */
export interface DeliveryVerdict {
  readonly status: 'delivered' | 'retrying' | 'failed';
  /** Time of the next attempt; null unless `retrying`. */
  readonly nextAttemptAt: Instant | null;
  /** Of the answer; null when no head of an answer came. */
  readonly responseStatus: number | null;
  /** Why it was not delivered. */
  readonly problem: string | null;
  readonly problemCode: DeliveryProblemCode | null;
}

/** Why an attempt was no success: `problem_code` of docs/reference/errors.md. */
export type DeliveryProblemCode =
  | 'address-refused'
  | 'unreachable'
  | 'connect-timeout'
  | 'read-timeout'
  | 'total-timeout'
  | 'broken-answer'
  | 'answer-too-large'
  | 'unexpected-status';

/** Seconds before the second attempt, the third, and so on: four retries last over a minute, five almost 12 minutes. */
const pauses = [1, 5, 20, 45, 600];

/**
 * A status of 200 to 299 is a success, also when the body behind it is cut. `attempts` counts this attempt.
 * `schedule` holds seconds between the beginnings of two attempts. With a schedule only 200 is a success (docs/interface/verify.md#callbacks,
 * Verify status callbacks), every failure is retried, and the settings do not count.
 */
export function judgeAttempt(
  outcome: EgressOutcome,
  settings: DeliverySettings,
  attempts: number,
  { sentAt, now }: { readonly sentAt: Instant; readonly now: Instant },
  schedule?: readonly number[],
): DeliveryVerdict {
  const responseStatus = ('problem' in outcome ? outcome.problem.status : outcome.status) ?? null;
  const lastSuccess = schedule === undefined ? 299 : 200;
  if (responseStatus !== null && responseStatus >= 200 && responseStatus <= lastSuccess) {
    return { status: 'delivered', nextAttemptAt: null, responseStatus, problem: null, problemCode: null };
  }
  const failure = {
    responseStatus,
    problem: 'problem' in outcome ? outcome.problem.sentence : `the receiver answered ${outcome.status}`,
    problemCode: 'problem' in outcome ? codes[outcome.problem.kind] : 'unexpected-status',
  } as const;
  const pause = schedule === undefined ? pauseOf(outcome, settings, attempts) : schedule[attempts - 1];
  if (pause === undefined) return { status: 'failed', nextAttemptAt: null, ...failure };
  const from = schedule === undefined ? now : sentAt;
  return { status: 'retrying', nextAttemptAt: Math.max(now, from + pause * 1000), ...failure };
}

const codes: Readonly<Record<EgressProblemKind, DeliveryProblemCode>> = {
  refused: 'address-refused',
  unreachable: 'unreachable',
  'connect-timeout': 'connect-timeout',
  'read-timeout': 'read-timeout',
  'total-timeout': 'total-timeout',
  broken: 'broken-answer',
  'too-large': 'answer-too-large',
  // A callback reserves no memory, and an aborted attempt is not judged.
  'no-memory': 'answer-too-large',
  aborted: 'broken-answer',
};

function pauseOf(outcome: EgressOutcome, settings: DeliverySettings, attempts: number): number | undefined {
  const reason = reasonOf(outcome);
  if (reason === undefined || !settings.retryOn.has(reason) || attempts > settings.retries) return undefined;
  return pauses[Math.min(attempts, pauses.length) - 1];
}

/** True when the receiver sent no answer. */
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
