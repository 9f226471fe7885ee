import type { Clock, Database, Promised, Secrets } from '@jackfield/ports';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { Attempt, SessionInput, VerifySession } from '../domain/session.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { ReportRefusal } from '../refusals.ts';
import { hasRecord } from '../store.ts';

export interface FallBackDeps {
  readonly database: Pick<Database, 'read'>;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'randomUuid'>;
  readonly limiter: Pick<Limiter, 'admit'>;
  readonly isDisabled: (account: string) => Promised<boolean>;
  readonly reportRefusal: ReportRefusal;
  readonly sessions: Pick<Sessions<VerifySession, SessionInput>, 'send'>;
}

/** Calls the recipient of a message that did not arrive; counted like every other send. */
export async function fallBack(
  { database, clock, secrets, limiter, isDisabled, reportRefusal, sessions }: FallBackDeps,
  session: VerifySession,
  attempt: Attempt,
): Promise<void> {
  const { account, mainAccount, recipient, requestorIp } = session;
  // Its subaccount may have been deleted with all it had.
  if (!(await hasRecord(database, session.uuid))) return;
  if (await isDisabled(account)) return reportRefusal(account, mainAccount, 'account-disabled', recipient);
  // The fraud level applied to the message already.
  const admission = await limiter.admit({ account, recipient, requestorIp, level: 'off' }, clock.now());
  if (admission.kind !== 'admitted') {
    const reason = admission.kind === 'limited' ? `${admission.scope}-limit` : admission.reason;
    return reportRefusal(account, mainAccount, reason, recipient);
  }
  const requested = { ...attempt, uuid: secrets.randomUuid(), channel: 'voice', blockedBy: null } as const;
  sessions.send(session.uuid, { type: 'attempt-asked', attempt: requested, callback: null });
}
