import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { digitsOf } from './delivery/recipient.ts';
import type { Attempt, SessionEvent, VerifySession } from './domain/session.ts';

/** docs/interface/verify.md#callbacks: after an attempt without 200 it is tried again so many seconds later, three times. */
const schedule = [60, 120, 240];

/** What is told of a session; `session` is the state after the change. The code is not among what it knows. */
export function outboxEventOf(session: VerifySession, event: SessionEvent, attempt: Attempt): OutboxEvent {
  const { callback } = session;
  return {
    type: `verify.${event}`,
    account: session.account,
    mainAccount: session.mainAccount,
    resource: `verify/${session.uuid}`,
    payload: {
      SessionUUID: session.uuid,
      SessionStatus: session.status,
      RequestTime: new Date(attempt.at).toISOString(),
      Recipient: digitsOf(session.recipient),
      Channel: attempt.channel,
      ChannelStatus: attempt.status,
      ChannelErrorCode: attempt.errorCode ?? '',
      AttemptUUID: attempt.uuid,
      AttemptSequence: attempt.sequence,
    },
    // A block is told by the status of its attempt as well; for the feed it has a name of its own.
    ...(callback === null || event === 'blocked'
      ? {}
      : { callback: { ...callback, schedule, isUnordered: true } }),
  };
}

/** A wish that came to nothing, because of a limit or a country: no session tells of it. */
export function refusalEvent(
  account: string,
  mainAccount: string,
  reason: string,
  recipient: string,
  number: number,
): OutboxEvent {
  return {
    type: 'verify.refused',
    account,
    mainAccount,
    resource: `verify-refusals/${account}`,
    payload: { Reason: reason, Recipient: digitsOf(recipient), Requests: number },
  };
}
