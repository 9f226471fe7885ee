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

/** What the runner writes to the outbox; `resource` orders deliveries, one after another per resource, but for `isUnordered`. */
export interface OutboxEvent {
  readonly type: string;
  readonly account: string;
  /** The account itself, or the one whose subaccount it is: it sees the event as well. */
  readonly mainAccount: string;
  readonly resource: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Whom it is told to; absent where nobody wants to hear of it. */
  readonly callback?: CallbackTarget;
}

/** Resources of deliveries that repeat an event, later or to another receiver, begin so: the feed leaves them out. */
export const replayResource = 'replay/';

/** A customer's receiver, as it was set when the event happened. */
export interface CallbackTarget {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Pauses in seconds before each further attempt, instead of what the URL says (Verify: 60, 120, 240). */
  readonly schedule?: readonly number[];
  /** Sent when it happens, while earlier events of its resource are still retried. A resource is ordered or not: never both. */
  readonly isUnordered?: boolean;
  /** The resource under which the log of callbacks shows the delivery, where it is not that of its event. */
  readonly loggedResource?: string;
  /** Set when a delivery is made again: whose event it repeats, and the name of the new delivery. */
  readonly replay?: { readonly eventId: string; readonly callbackId: string; readonly resource: string };
}
