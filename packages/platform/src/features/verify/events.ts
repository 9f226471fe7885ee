import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { digitsOf } from './delivery/recipient.ts';
import type { Attempt, SessionEvent, VerifySession } from './domain/session.ts';

/** docs/interface/verify.md#callbacks: seconds from an attempt without 200 to the next. */
const schedule = [60, 120, 240];

/** The event of a session; `session` is the state after the change. It never contains the code. */
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
    // The status of the attempt reports a block to the callback; in the event stream it has a name of its own.
    ...(callback === null || event === 'blocked'
      ? {}
      : { callback: { ...callback, schedule, isUnordered: true } }),
  };
}

/** A request that was refused because of a limit or a country: no session reports it. */
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
