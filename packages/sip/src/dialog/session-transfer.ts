import type { SipRequest, SipResponse } from '../message/message.ts';
import { paramOf, parseParams } from '../message/params.ts';
import { type Step, stay } from '../transaction/effects.ts';
import type { HeaderPairs } from './answers.ts';
import { dialogRequest, nextHop } from './dialog.ts';
import type { Session, SessionEffect } from './session-state.ts';

type SessionStep = Step<Session, SessionEffect>;

/** Asks the peer to call another URI (RFC 3515 §2.4.1); while an earlier REFER of this side is open, reports 491. */
export function sendRefer(state: Session, uri: string, headers: HeaderPairs = []): SessionStep {
  if (state.referring) {
    return { state, effects: [{ do: 'emit', event: { type: 'refer-answered', status: 491 } }] };
  }
  const all: HeaderPairs = [['Refer-To', `<${uri}>`], ...headers];
  const { dialog, request } = dialogRequest(state.dialog, 'REFER', undefined, all);
  return {
    state: { ...state, dialog, referring: true },
    effects: [{ do: 'request', session: state.id, request, hop: nextHop(dialog) }],
  };
}

/** The final response to our REFER; only a 2xx has a subscription, unless it declines one (RFC 4488 §4). */
export function referAnswered(state: Session, { status, headers }: SipResponse): SessionStep {
  if (!state.referring) return stay(state);
  const isSubscribed = status < 300 && !/^false\b/i.test(headers.get('Refer-Sub') ?? '');
  return {
    state: { ...state, referring: isSubscribed },
    effects: [{ do: 'emit', event: { type: 'refer-answered', status } }],
  };
}

/** A NOTIFY of our REFER, which may come before its 202 (RFC 3515 §2.4.4); undefined when there is none that it belongs to. */
export function onNotify(state: Session, transaction: string, request: SipRequest): SessionStep | undefined {
  const { headers, body } = request;
  if (!state.referring || !/^refer\b/i.test(headers.get('Event') ?? '')) return undefined;
  const status = Number(/^SIP\/2\.0 ([1-6]\d\d)\b/.exec(body)?.[1] ?? 0);
  const isLast = isTerminated(headers.get('Subscription-State') ?? '');
  const effects: SessionEffect[] = [{ do: 'respond', transaction, status: 200 }];
  if (status > 0) effects.push({ do: 'emit', event: { type: 'refer-notified', status, isLast } });
  return { state: { ...state, referring: !isLast }, effects };
}

/** RFC 6665 §4.1.3: a state of zero seconds is an end as well. */
function isTerminated(value: string): boolean {
  if (/^terminated\b/i.test(value)) return true;
  const semicolon = value.indexOf(';');
  return semicolon >= 0 && paramOf(parseParams(value, semicolon) ?? [], 'expires') === '0';
}
