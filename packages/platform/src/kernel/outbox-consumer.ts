import type { Instant, Write } from '@jackfield/ports';
import type { StoredEvent } from './outbox-store.ts';

/**
 * Takes an event to whoever wants it. `retry`, or a rejection, brings the same event again later, within the outbox's limits;
 * `retryAt` at that instant, whatever the limits; what is behind it waits. `abandoned` lets what is behind it go on.
 */
export type Deliver = (event: StoredEvent) => Promise<DeliveryOutcome>;

export type DeliveryOutcome =
  | 'delivered'
  | 'retry'
  | 'abandoned'
  /** `isAttempt` is false where nothing was tried. `save` writes in the transaction that records the outcome. */
  | { readonly retryAt: Instant; readonly isAttempt: boolean; readonly save?: SaveOutcome }
  | { readonly finished: 'delivered' | 'abandoned'; readonly save: SaveOutcome };

export type SaveOutcome = (write: Write) => Promise<void>;

export interface OutboxConsumer {
  readonly deliver: Deliver;
  /**
   * Asked right before `deliver`: undefined lets the event out, a lane sets it aside until `resume` is called for that lane.
   * Whoever lets it out has its `deliver` called.
   */
  admit?(event: StoredEvent): string | undefined;
}
