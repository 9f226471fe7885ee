import type { CallEnd, Instant, Machine, Step, TimerFired } from '@jackfield/ports';
import { stay } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
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
import { received, refusedForNow } from './received-orders.ts';
import {
  acknowledged,
  noOrders,
  notAcknowledged,
  repeatTimer,
  type SentOrders,
  sent,
  withOrder,
} from './sent-orders.ts';

/** A leg of this node in a conversation of another one, from its loan to its return. */
export interface MediaLink {
  readonly link: string;
  readonly leg: string;
  /** The home of the conversation. */
  readonly node: string;
  /** Of the participant as it joined, for a document that goes on without the other node. */
  readonly fields: Readonly<Record<string, string>>;
  /** The conversation has it for good: it is not returned. */
  readonly isTaken: boolean;
  /** Runs on a taken leg when the other node is lost; without a document the leg is hung up, with this end. */
  readonly exitDocument: object | null;
  readonly endOfLoss: CallEnd;
  /** `parting`: the leg is bridged no more, and the last orders are on their way. */
  readonly phase: 'lending' | 'linked' | 'parting' | 'over';
  readonly sent: SentOrders<OrderOfLeg>;
  /** The number of the last order that was carried out. */
  readonly received: number;
}

export type MediaLinkInput =
  | { readonly type: 'opened' }
  /** Lent or taken: from now on the link gets its notices. */
  | { readonly type: 'lent' }
  | { readonly type: 'not-lent' }
  | { readonly type: 'leg-digit'; readonly digit: string }
  | { readonly type: 'leg-taken' }
  | { readonly type: 'leg-ended'; readonly end: CallEnd }
  | { readonly type: 'order'; readonly number: number; readonly order: OrderOfRoom }
  /** The media leg of the link is dead or has been silent for a minute. */
  | { readonly type: 'audio-lost' }
  /** The other node has ended. */
  | { readonly type: 'node-gone' }
  | OrderOutcome;

export type MediaLinkEffect =
  | { readonly do: 'bridge' }
  | { readonly do: 'close-audio' }
  | { readonly do: 'give-back'; readonly fields: Readonly<Record<string, string>> }
  /** The other node cannot say how the conversation ended. */
  | { readonly do: 'give-back-lost' }
  | { readonly do: 'take' }
  | { readonly do: 'run-document'; readonly document: object }
  | { readonly do: 'hang-up'; readonly end: CallEnd }
  | { readonly do: 'send-digits'; readonly digits: string }
  | { readonly do: 'extend'; readonly seconds: number }
  | { readonly do: 'report-transfer'; readonly status: number }
  | { readonly do: 'send'; readonly number: number; readonly order: OrderOfLeg }
  | LookEffect
  /** True: the order was carried out, now or before. */
  | KernelEffect<never, boolean>;

type LinkStep = Step<MediaLink, MediaLinkEffect>;

export function newMediaLink(
  named: Pick<MediaLink, 'link' | 'leg' | 'node' | 'fields' | 'isTaken' | 'exitDocument' | 'endOfLoss'>,
): MediaLink {
  return { ...named, phase: 'lending', sent: noOrders(), received: 0 };
}

export const mediaLinkMachine: Machine<MediaLink, MediaLinkInput | TimerFired, MediaLinkEffect> = {
  step(link, input, now) {
    switch (input.type) {
      case 'opened':
        return { state: link, effects: [nextLook(now)] };
      case 'lent':
        return lent(link, now);
      case 'not-lent':
        return parting(link, { order: 'left', because: 'taken' }, now);
      case 'leg-digit':
        return link.phase === 'linked' ? sending(link, { order: 'digit', digit: input.digit }) : stay(link);
      case 'leg-taken':
        return isJoined(link) ? parting(link, { order: 'left', because: 'taken' }, now) : stay(link);
      case 'leg-ended':
        return isJoined(link)
          ? parting(link, { order: 'left', because: 'ended', end: input.end }, now)
          : stay(link);
      case 'audio-lost':
        return lost(link, now);
      case 'order':
        return ordered(link, input.number, input.order);
      case 'node-gone':
      case 'unknown-there':
        return forgotten(link);
      case 'acknowledged':
        return continued({ ...link, sent: acknowledged(link.sent, input.number) });
      case 'not-acknowledged': {
        const { orders, effects } = notAcknowledged(link.sent, now);
        return { state: { ...link, sent: orders }, effects };
      }
      case 'timer-fired':
        return timerFired(link, input.key, now);
    }
  },
};

function isJoined({ phase }: MediaLink): boolean {
  return phase === 'lending' || phase === 'linked';
}

/** The bridge comes with the loan: before it the leg is its document's, and nothing of the conversation reaches it. */
function lent(link: MediaLink, now: Instant): LinkStep {
  if (link.phase !== 'lending') return stay(link);
  const { state, effects } = sending({ ...link, phase: 'linked' }, { order: 'linked' });
  const arrival = { do: 'start-timer', key: arrivalTimer, at: now + arrivalMs } as const;
  return { state, effects: [{ do: 'bridge' }, arrival, ...effects] };
}

/** Without the conversation: its order may come late or never. */
function lost(link: MediaLink, now: Instant): LinkStep {
  return isJoined(link)
    ? parting(link, { order: 'left', because: 'lost' }, now, [{ do: 'give-back-lost' }])
    : stay(link);
}

function sending(link: MediaLink, order: OrderOfLeg): LinkStep {
  return continued({ ...link, sent: withOrder(link.sent, order) });
}

/** Sends what waits. A link that parts is over with its last order. */
function continued(link: MediaLink): LinkStep {
  if (link.phase === 'parting' && link.sent.waiting.length === 0) return over(link);
  const { orders, effects } = sent(link.sent);
  return { state: { ...link, sent: orders }, effects };
}

function parting(
  link: MediaLink,
  last: OrderOfLeg,
  now: Instant,
  also: readonly MediaLinkEffect[] = [],
): LinkStep {
  const { state, effects } = sending({ ...link, phase: 'parting' }, last);
  return {
    state,
    effects: [
      { do: 'close-audio' },
      ...also,
      { do: 'start-timer', key: partingTimer, at: now + partingMs },
      ...effects,
    ],
  };
}

/** The other side is gone, so no order can reach it. */
function forgotten(link: MediaLink): LinkStep {
  if (!isJoined(link)) return over(link);
  return over(link, [{ do: 'close-audio' }, { do: 'give-back-lost' }]);
}

function ordered(link: MediaLink, number: number, order: OrderOfRoom): LinkStep {
  if (link.phase === 'lending') return { state: link, effects: [refusedForNow] };
  // A leg that has left in the meantime needs no order.
  return received(link, number, (next) => (next.phase === 'linked' ? carriedOut(next, order) : stay(next)));
}

function carriedOut(link: MediaLink, order: OrderOfRoom): LinkStep {
  switch (order.order) {
    case 'give-back':
      return over(link, [{ do: 'close-audio' }, { do: 'give-back', fields: order.fields }]);
    case 'hang-up':
      return over(link, [{ do: 'close-audio' }, { do: 'hang-up', end: order.end }]);
    case 'taken':
      return { state: { ...link, isTaken: true, exitDocument: null }, effects: [{ do: 'take' }] };
    case 'run-document':
      return over(link, [{ do: 'close-audio' }, { do: 'run-document', document: order.document }]);
    case 'send-digits':
      return { state: link, effects: [{ do: 'send-digits', digits: order.digits }] };
    case 'extend':
      return { state: link, effects: [{ do: 'extend', seconds: order.seconds }] };
    case 'transfer-status':
      return { state: link, effects: [{ do: 'report-transfer', status: order.status }] };
    case 'lost':
      return over(link, [{ do: 'close-audio' }, { do: 'give-back-lost' }]);
  }
}

function timerFired(link: MediaLink, key: string, now: Instant): LinkStep {
  switch (key) {
    case repeatTimer:
      return continued(link);
    case lookTimer:
      return { state: link, effects: lookingAt(now) };
    case arrivalTimer:
      // The conversation has let go of a leg whose home says nothing; or `linked` has arrived, and no answer comes back.
      return link.sent.waiting[0]?.order.order === 'linked' ? lost(link, now) : stay(link);
    default:
      return over(link);
  }
}

function over(link: MediaLink, effects: readonly MediaLinkEffect[] = []): LinkStep {
  const timers = [lookTimer, repeatTimer, partingTimer, arrivalTimer];
  return {
    state: { ...link, phase: 'over' },
    effects: [...effects, ...timers.map((key) => ({ do: 'cancel-timer', key }) as const)],
  };
}
