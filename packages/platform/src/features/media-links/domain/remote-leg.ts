import type { CallEnd, Instant, Machine, Step, TimerFired } from '@jackfield/ports';
import { stay } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
import type { LegOwner, LiveLeg } from '../../calls/index.ts';
import {
  arrivalMs,
  arrivalTimer,
  type LookEffect,
  lookingAt,
  lookTimer,
  nextLook,
  type OrderOfLeg,
  type OrderOfRoom,
  type OrderOutcome,
  partingMs,
  partingTimer,
} from './link-orders.ts';
import { received } from './received-orders.ts';
import {
  acknowledged,
  noOrders,
  notAcknowledged,
  repeatTimer,
  type SentOrders,
  sent,
  withOrder,
} from './sent-orders.ts';

/** A leg of another node in a conversation of this one. Its record, its callbacks and its bill are at its home. */
export interface RemoteLeg {
  readonly link: string;
  /** As its home describes it; its owner there is no concern of this node. */
  readonly leg: LiveLeg;
  /** Its home. */
  readonly node: string;
  /** The conversation that has borrowed it, or has it for good. */
  readonly owner: LegOwner | null;
  readonly isTaken: boolean;
  /** `parting`: it has left, and the last order is on its way. */
  readonly phase: 'here' | 'parting' | 'over';
  /** Its home has said that it is linked; orders wait for that. */
  readonly isLinked: boolean;
  readonly sent: SentOrders<OrderOfRoom>;
  readonly received: number;
}

export type RemoteLegInput =
  | { readonly type: 'opened' }
  | { readonly type: 'lend'; readonly borrower: LegOwner }
  | { readonly type: 'take'; readonly owner: LegOwner }
  /** The conversation refuses it. */
  | { readonly type: 'not-admitted' }
  | { readonly type: 'give-back'; readonly fields: Readonly<Record<string, string>> }
  | { readonly type: 'hang-up'; readonly end: CallEnd }
  | { readonly type: 'run-document'; readonly document: object }
  | { readonly type: 'send-digits'; readonly digits: string }
  | { readonly type: 'extend'; readonly seconds: number }
  | { readonly type: 'report-transfer'; readonly status: number }
  | { readonly type: 'leg-voice'; readonly speaking: boolean }
  | { readonly type: 'order'; readonly number: number; readonly order: OrderOfLeg }
  /** Its media leg is dead or has been silent for a minute. */
  | { readonly type: 'audio-lost' }
  | { readonly type: 'node-gone' }
  /** Its home has linked it anew. */
  | { readonly type: 'superseded' }
  | OrderOutcome;

export type RemoteLegEffect =
  | { readonly do: 'notify-owner'; readonly owner: LegOwner; readonly notice: RemoteLegNotice }
  /** A key of the phone for the streams of the conversation: the audio of the link carries none. */
  | { readonly do: 'press'; readonly digit: string }
  | { readonly do: 'close-audio' }
  | { readonly do: 'send'; readonly number: number; readonly order: OrderOfRoom }
  | LookEffect
  /** Of `lend` and `take`: it is the owner's. Of `order`: it was carried out, now or before. */
  | KernelEffect<never, boolean>;

export type RemoteLegNotice =
  /** To the owner that has it for good, once its audio comes. */
  | { readonly type: 'leg-given' }
  | { readonly type: 'leg-digit'; readonly digit: string }
  | { readonly type: 'leg-voice'; readonly speaking: boolean }
  /** Another owner has it, or its audio does not pass: then its home goes on with it, and reports that. */
  | { readonly type: 'leg-taken' }
  /** Its home says how, or has ended. */
  | { readonly type: 'leg-ended'; readonly end: CallEnd | 'node-gone' };

/** In orders that wait; the server of a stream may send keys without end. As many as the media engine of the home queues for its phone. */
const mostDigits = 400;

type RemoteStep = Step<RemoteLeg, RemoteLegEffect>;

export function newRemoteLeg(named: Pick<RemoteLeg, 'link' | 'leg' | 'node'>): RemoteLeg {
  const before = { owner: null, isTaken: false, phase: 'here', isLinked: false } as const;
  return { ...named, ...before, sent: noOrders(), received: 0 };
}

/** Whether it is in a conversation, or about to be. */
export function isHere({ phase }: RemoteLeg): boolean {
  return phase === 'here';
}

export const remoteLegMachine: Machine<RemoteLeg, RemoteLegInput | TimerFired, RemoteLegEffect> = {
  step(leg, input, now) {
    switch (input.type) {
      case 'opened':
        return {
          state: leg,
          effects: [{ do: 'start-timer', key: arrivalTimer, at: now + arrivalMs }, nextLook(now)],
        };
      case 'lend':
        return isHere(leg) && leg.owner === null
          ? { state: { ...leg, owner: input.borrower }, effects: [{ do: 'reply', reply: true }] }
          : { state: leg, effects: [{ do: 'reply', reply: false }] };
      case 'take':
        return taken(leg, input.owner);
      case 'give-back':
        return letGo(leg, { order: 'give-back', fields: input.fields }, now);
      case 'hang-up':
        return hungUp(leg, input.end, now);
      case 'run-document':
        return letGo(leg, { order: 'run-document', document: input.document }, now);
      case 'send-digits':
        return digitsIn(leg.sent) + input.digits.length > mostDigits
          ? stay(leg)
          : sending(leg, { order: 'send-digits', digits: input.digits });
      case 'extend':
        return sending(leg, { order: 'extend', seconds: input.seconds });
      case 'report-transfer':
        return sending(leg, { order: 'transfer-status', status: input.status });
      case 'leg-voice': {
        const { speaking } = input;
        return isHere(leg)
          ? { state: leg, effects: notifying(leg, { type: 'leg-voice', speaking }) }
          : stay(leg);
      }
      case 'order':
        return ordered(leg, input.number, input.order);
      case 'audio-lost': {
        if (!isHere(leg)) return stay(leg);
        const { state, effects } = letGo(leg, { order: 'lost' }, now);
        return { state, effects: [...notifying(leg, { type: 'leg-taken' }), ...effects] };
      }
      case 'not-admitted':
        return gone(leg, undefined);
      case 'node-gone':
      case 'unknown-there':
        return gone(leg, endedBy('node-gone'));
      case 'superseded':
        return gone(leg, { type: 'leg-taken' });
      case 'acknowledged':
        return continued({ ...leg, sent: acknowledged(leg.sent, input.number) });
      case 'not-acknowledged': {
        const { orders, effects } = notAcknowledged(leg.sent, now);
        return { state: { ...leg, sent: orders }, effects };
      }
      case 'timer-fired':
        return timerFired(leg, input.key, now);
    }
  },
};

/** The first owner may keep it, as its home has agreed at the join; of every later one its home learns now. */
function taken(leg: RemoteLeg, owner: LegOwner): RemoteStep {
  if (!isHere(leg)) return { state: leg, effects: [{ do: 'reply', reply: false }] };
  const notices = notifying(leg, { type: 'leg-taken' });
  const sent = leg.owner === null ? leg.sent : withOrder(leg.sent, { order: 'taken' });
  const { state, effects } = continued({ ...leg, owner, isTaken: true, sent });
  return { state, effects: [...notices, ...given(state), ...effects, { do: 'reply', reply: true }] };
}

function given(leg: RemoteLeg): readonly RemoteLegEffect[] {
  return leg.isTaken && leg.isLinked ? notifying(leg, { type: 'leg-given' }) : [];
}

function notifying({ owner }: RemoteLeg, notice: RemoteLegNotice): readonly RemoteLegEffect[] {
  return owner === null ? [] : [{ do: 'notify-owner', owner, notice }];
}

function endedBy(end: CallEnd | 'node-gone'): RemoteLegNotice {
  return { type: 'leg-ended', end };
}

/** For its owner it has ended, whenever its home gets the order. */
function hungUp(leg: RemoteLeg, end: CallEnd, now: Instant): RemoteStep {
  const { state, effects } = letGo(leg, { order: 'hang-up', end }, now);
  return isHere(leg) ? { state, effects: [...notifying(leg, endedBy(end)), ...effects] } : { state, effects };
}

/** It falls silent here at once, whenever its home gets the order. */
function letGo(leg: RemoteLeg, order: OrderOfRoom, now: Instant): RemoteStep {
  if (!isHere(leg)) return stay(leg);
  const { state, effects } = continued({
    ...leg,
    phase: 'parting',
    owner: null,
    sent: withOrder(leg.sent, order),
  });
  return {
    state,
    effects: [
      { do: 'close-audio' },
      { do: 'start-timer', key: partingTimer, at: now + partingMs },
      ...effects,
    ],
  };
}

function sending(leg: RemoteLeg, order: OrderOfRoom): RemoteStep {
  return isHere(leg) ? continued({ ...leg, sent: withOrder(leg.sent, order) }) : stay(leg);
}

function digitsIn({ waiting }: SentOrders<OrderOfRoom>): number {
  return waiting.reduce(
    (sum, { order }) => sum + (order.order === 'send-digits' ? order.digits.length : 0),
    0,
  );
}

function continued(leg: RemoteLeg): RemoteStep {
  if (!leg.isLinked) return stay(leg);
  if (leg.phase === 'parting' && leg.sent.waiting.length === 0) return over(leg);
  const { orders, effects } = sent(leg.sent);
  return { state: { ...leg, sent: orders }, effects };
}

function ordered(leg: RemoteLeg, number: number, order: OrderOfLeg): RemoteStep {
  return received(leg, number, (next) => carriedOut(next, order));
}

function carriedOut(leg: RemoteLeg, order: OrderOfLeg): RemoteStep {
  switch (order.order) {
    case 'linked':
      return linked(leg);
    case 'digit': {
      const { digit } = order;
      return {
        state: leg,
        effects: [...notifying(leg, { type: 'leg-digit', digit }), { do: 'press', digit }],
      };
    }
    case 'left':
      return gone(leg, order.because === 'ended' ? endedBy(order.end) : { type: 'leg-taken' });
  }
}

/** What the conversation has ordered in the meantime follows. */
function linked(leg: RemoteLeg): RemoteStep {
  const { state, effects } = continued({ ...leg, isLinked: true });
  return { state, effects: [{ do: 'cancel-timer', key: arrivalTimer }, ...given(state), ...effects] };
}

function timerFired(leg: RemoteLeg, key: string, now: Instant): RemoteStep {
  switch (key) {
    case repeatTimer:
      return continued(leg);
    case lookTimer:
      return { state: leg, effects: lookingAt(now) };
    case arrivalTimer:
      return leg.isLinked ? stay(leg) : gone(leg, { type: 'leg-taken' });
    default:
      return over(leg);
  }
}

function gone(leg: RemoteLeg, notice: RemoteLegNotice | undefined): RemoteStep {
  // Its name may be in use again.
  if (!isHere(leg)) return over(leg);
  const effects = notice === undefined ? [] : notifying(leg, notice);
  return over(leg, [...effects, { do: 'close-audio' }]);
}

function over(leg: RemoteLeg, effects: readonly RemoteLegEffect[] = []): RemoteStep {
  const timers = [lookTimer, repeatTimer, partingTimer, arrivalTimer];
  return {
    state: { ...leg, phase: 'over', owner: null },
    effects: [...effects, ...timers.map((key) => ({ do: 'cancel-timer', key }) as const)],
  };
}
