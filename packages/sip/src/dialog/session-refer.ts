import type { SipRequest, SipResponse } from '../message/message.ts';
import { parseNameAddr } from '../message/name-addr.ts';
import { type Step, stay } from '../transaction/effects.ts';
import type { HeaderPairs } from './answers.ts';
import { cseqOf, dialogRequest, nextHop } from './dialog.ts';
import { isLast, type Notice, type Referral } from './referral.ts';
import { byeWhenDue, dropReferral } from './session-end.ts';
import type { Session, SessionEffect } from './session-state.ts';

/** Time for the owner to accept or refuse a REFER, in T1: half of timer F (RFC 3261 §17.1.2.2). */
const ANSWER_LIMIT_T1 = 32;

/** Length of the subscription: longer than any call rings. */
const SUBSCRIPTION_S = 300;

type SessionStep = Step<Session, SessionEffect>;

/** A REFER within the dialog: a malformed one gets 400 (RFC 3515 §2.4.1), a second one while the first is open 603. */
export function onRefer(state: Session, transaction: string, request: SipRequest, now: number): SessionStep {
  const targets = request.headers.all('Refer-To');
  if (targets.length !== 1 || parseNameAddr(targets[0] ?? '') === undefined) {
    return { state, effects: [{ do: 'respond', transaction, status: 400 }] };
  }
  if (state.referral.state !== 'none') {
    return { state, effects: [{ do: 'respond', transaction, status: 603 }] };
  }
  const referral: Referral = {
    state: 'asked',
    taken: state.referral.taken,
    transaction,
    cseq: cseqOf(request),
    isSilent: wantsNoSubscription(request),
  };
  const at = now + ANSWER_LIMIT_T1 * state.timers.t1;
  return {
    state: { ...state, referral },
    effects: [
      { do: 'start-timer', session: state.id, key: 'referral', at },
      { do: 'emit', event: { type: 'referred', request } },
    ],
  };
}

/** The owner accepts the REFER: 202, and a NOTIFY at once (RFC 3515 §2.4.4). */
export function acceptReferral(state: Session, now: number): SessionStep {
  const { referral } = state;
  if (referral.state !== 'asked') return stay(state);
  const { cseq, transaction, isSilent } = referral;
  // RFC 4488 §4: "Refer-Sub: false" in the 2xx declines the subscription.
  const headers: HeaderPairs = [['Refer-Sub', 'false']];
  const effects: SessionEffect[] = [
    { do: 'respond', transaction, status: 202, ...(isSilent && { headers }) },
    { do: 'start-timer', session: state.id, key: 'referral', at: now + SUBSCRIPTION_S * 1000 },
  ];
  const accepted: Session = {
    ...state,
    referral: { state: 'accepted', taken: referral.taken + 1, cseq, isSilent },
  };
  return { state: notify(accepted, '100 Trying', `active;expires=${SUBSCRIPTION_S}`, effects), effects };
}

/** The owner refuses the REFER. */
export function refuseReferral(state: Session, status: number, headers?: HeaderPairs): SessionStep {
  if (state.referral.state !== 'asked') return stay(state);
  const effects: SessionEffect[] = [];
  return { state: dropReferral(state, status, effects, headers), effects };
}

/** Reports the status of the call that the REFER requested: a final status ends the subscription (RFC 3515 §2.4.5). */
export function reportReferral(state: Session, status: number, phrase = ''): SessionStep {
  if (state.referral.state !== 'accepted') return stay(state);
  const effects: SessionEffect[] = [];
  const isFinal = status >= 200;
  const next = notify(
    state,
    `${status} ${phrase}`,
    isFinal ? 'terminated;reason=noresource' : `active;expires=${SUBSCRIPTION_S}`,
    effects,
  );
  return { state: isFinal ? dropReferral(next, 0, effects) : next, effects };
}

/** The owner neither answered the REFER nor reported a final status in time. */
export function referralExpired(state: Session): SessionStep {
  const effects: SessionEffect[] = [];
  if (state.referral.state === 'asked') return { state: dropReferral(state, 603, effects), effects };
  if (state.referral.state === 'none') return stay(state);
  const notified = notify(state, '408 Request Timeout', 'terminated;reason=timeout', effects);
  return { state: dropReferral(notified, 0, effects), effects };
}

/**
 * A NOTIFY got its final response, or none. A refused or unanswered one ends its subscription only (RFC 6665 §4.2.2,
 * RFC 5057 §5.1): subscriptions of other REFERs go on.
 */
export function notifyAnswered(
  state: Session,
  cseq: number | undefined,
  response: SipResponse | undefined,
): SessionStep {
  const { notifying } = state;
  if (!notifying || (cseq !== undefined && cseq !== notifying.cseq)) return stay(state);
  const effects: SessionEffect[] = [];
  const idle: Session = { ...state, notifying: undefined };
  const { refer } = notifying.notice;
  const isTaken = response !== undefined && response.status < 300;
  const rest = isTaken ? idle : endSubscription(idle, refer, effects);
  const [next, ...waiting] = isTaken
    ? notifying.waiting
    : notifying.waiting.filter((notice) => notice.refer !== refer);
  const isOver = state.phase === 'ending' || state.phase === 'ended';
  const notified = next && !isOver ? send(rest, next, waiting, effects) : rest;
  return { state: byeWhenDue(notified, effects), effects };
}

/** Drops this REFER, unless a later one has replaced it. */
function endSubscription(state: Session, refer: number, effects: SessionEffect[]): Session {
  const { referral } = state;
  const isIts = referral.state === 'accepted' && referral.cseq === refer;
  return isIts ? dropReferral(state, 0, effects) : state;
}

function notify(state: Session, status: string, subscription: string, effects: SessionEffect[]): Session {
  const { referral, notifying } = state;
  if (referral.state !== 'accepted' || referral.isSilent) return state;
  // RFC 3515 §2.4.6: from the second REFER of a dialog on, the event carries the CSeq of its REFER.
  const event = referral.taken > 1 ? `refer;id=${referral.cseq}` : 'refer';
  const refer = referral.cseq;
  const notice: Notice = { refer, event, subscription, status };
  if (!notifying) return send(state, notice, [], effects);
  // A newer status replaces waiting provisional ones.
  const current = notifying.waiting.filter((each) => each.refer !== refer || isLast(each));
  const waiting = [...current, notice];
  return { ...state, notifying: { ...notifying, waiting } };
}

function send(state: Session, notice: Notice, waiting: readonly Notice[], effects: SessionEffect[]): Session {
  const headers: HeaderPairs = [
    ['Event', notice.event],
    ['Subscription-State', notice.subscription],
  ];
  const body = `SIP/2.0 ${notice.status}\r\n`;
  const content = { body, contentType: 'message/sipfrag;version=2.0' };
  const { dialog, request } = dialogRequest(state.dialog, 'NOTIFY', content, headers);
  effects.push({ do: 'request', session: state.id, request, hop: nextHop(dialog) });
  return { ...state, dialog, notifying: { cseq: dialog.localCseq, notice, waiting } };
}

/** RFC 4488 §4: `Refer-Sub: false`; any other value, or no header, makes a subscription. */
function wantsNoSubscription({ headers }: SipRequest): boolean {
  return /^false[ \t]*(?:;|$)/i.test(headers.get('Refer-Sub') ?? '');
}
