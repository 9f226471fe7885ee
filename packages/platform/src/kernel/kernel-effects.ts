import type { Instant } from '@jackfield/ports';

/**
 * Effects that the session runner itself carries out for every kind of session.
 * - `start-timer` replaces a running timer with the same key.
 * - `emit` puts an event into the outbox, in the transaction that saves the state.
 * - `reply` answers the caller of `ask`, after that transaction has been committed.
 */
export type KernelEffect<Event = never, Reply = never> =
  | { readonly do: 'start-timer'; readonly key: string; readonly at: Instant }
  | { readonly do: 'cancel-timer'; readonly key: string }
  | { readonly do: 'emit'; readonly event: Event }
  | { readonly do: 'reply'; readonly reply: Reply };

/** An event for the outbox. Deliveries of one `resource` run one after another, except with `isUnordered`. */
export interface OutboxEvent {
  readonly type: string;
  readonly account: string;
  /** The account itself, or the main account of the subaccount: it sees the event as well. */
  readonly mainAccount: string;
  readonly resource: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Absent for an event without a callback. */
  readonly callback?: CallbackTarget;
}

/** Prefix of the resource of a delivery that repeats an event, later or to another receiver: the event stream leaves it out. */
export const replayResource = 'replay/';

/** The customer's receiver at the time of the event. */
export interface CallbackTarget {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Pauses in seconds before each further attempt, instead of what the URL says (Verify: 60, 120, 240). */
  readonly schedule?: readonly number[];
  /** Sent when it happens, while earlier events of its resource are still retried. A resource is ordered or not: never both. */
  readonly isUnordered?: boolean;
  /** The resource under which the log of callbacks shows the delivery, where it is not that of its event. */
  readonly loggedResource?: string;
  /** Set for a repeated delivery: the event that it repeats, and the name of the new delivery. */
  readonly replay?: { readonly eventId: string; readonly callbackId: string; readonly resource: string };
}

const none: readonly OutboxEvent[] = [];

/** Those that the effects of a step emit. */
export function eventsOf(effects: readonly { readonly do: string }[]): readonly OutboxEvent[] {
  let events: OutboxEvent[] | undefined;
  for (const effect of effects) {
    if (effect.do !== 'emit') continue;
    events ??= [];
    events.push((effect as unknown as { readonly event: OutboxEvent }).event);
  }
  return events ?? none;
}
