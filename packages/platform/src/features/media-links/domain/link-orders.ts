import type { CallEnd, Instant } from '@jackfield/ports';

/** From the home of the leg to the home of the conversation. */
export type OrderOfLeg =
  /** The leg is lent, and its audio comes. Orders of the other side wait for it. */
  | { readonly order: 'linked' }
  | { readonly order: 'digit'; readonly digit: string }
  /** The call has ended (with `end`), another owner has claimed it, or its audio does not pass (`lost`). */
  | { readonly order: 'left'; readonly because: 'ended'; readonly end: CallEnd }
  | { readonly order: 'left'; readonly because: 'taken' | 'lost' };

/** From the home of the conversation to the home of the leg. */
export type OrderOfRoom =
  | { readonly order: 'give-back'; readonly fields: Readonly<Record<string, string>> }
  | { readonly order: 'hang-up'; readonly end: CallEnd }
  /** A conversation of the same node has taken it for good, so its document at home ends. */
  | { readonly order: 'taken' }
  /** A taken leg leaves, and this document runs on it. */
  | { readonly order: 'run-document'; readonly document: object }
  | { readonly order: 'send-digits'; readonly digits: string }
  /** The conversation may last for so many seconds more. */
  | { readonly order: 'extend'; readonly seconds: number }
  /** The outcome of a transfer that the phone of the leg has requested, as a SIP status. */
  | { readonly order: 'transfer-status'; readonly status: number }
  /** No audio of the leg has come for a minute: the participant has left. */
  | { readonly order: 'lost' };

/** What became of an order that was sent; the same for both sides. */
export type OrderOutcome =
  | { readonly type: 'acknowledged'; readonly number: number }
  | { readonly type: 'not-acknowledged' }
  /** The other side has forgotten the link. */
  | { readonly type: 'unknown-there' };

/** How often the other node is looked for. */
const lookMs = 2_000;
export const lookTimer = 'look';
export type LookEffect =
  | { readonly do: 'look' }
  | { readonly do: 'start-timer'; readonly key: typeof lookTimer; readonly at: Instant };

export function nextLook(now: Instant): LookEffect {
  return { do: 'start-timer', key: lookTimer, at: now + lookMs };
}

/** Looks for the other node, and again later. */
export function lookingAt(now: Instant): readonly LookEffect[] {
  return [{ do: 'look' }, nextLook(now)];
}

/** Within which `linked` arrives: the home of the leg gets the answer to its join within five seconds, and sends `linked` at once. */
export const arrivalMs = 10_000;
export const arrivalTimer = 'arrival';
/** How long last orders are repeated. The other side ends by itself after a minute of silence. */
export const partingMs = 120_000;
export const partingTimer = 'parting';
