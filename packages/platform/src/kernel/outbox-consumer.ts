import type { Instant, Write } from '@jackfield/ports';
import type { StoredEvent } from './outbox-store.ts';

/**
 * Delivers an event to its receiver. `retry`, or a rejection, repeats the event later, within the outbox's limits; `retryAt` repeats it at
 * that instant, whatever the limits. Later events of its resource wait until it is delivered or abandoned.
 */
export type Deliver = (event: StoredEvent) => Promise<DeliveryOutcome>;

export type DeliveryOutcome =
  | 'delivered'
  | 'retry'
  | 'abandoned'
  /** `isAttempt` is false when no request was sent. `save` writes in the transaction that records the outcome. */
  | { readonly retryAt: Instant; readonly isAttempt: boolean; readonly save?: SaveOutcome }
  | { readonly finished: 'delivered' | 'abandoned'; readonly save: SaveOutcome };

export type SaveOutcome = (write: Write) => Promise<void>;

export interface OutboxConsumer {
  readonly deliver: Deliver;
  /**
   * Asked right before delivery. Undefined admits the event: its `deliver` is always called. A lane sets the event aside until
   * `resume` is called for that lane.
   */
  admit?(event: StoredEvent): string | undefined;
}
