import type { Clock, Instant } from '@jackfield/ports';
import type { NodeMessages } from './node-messages.ts';
import type { Outbox } from './outbox.ts';

export interface EventWakesDeps {
  readonly clock: Clock;
  readonly messages: Pick<NodeMessages, 'notify' | 'listen'>;
  readonly outbox: Pick<Outbox, 'subscribe' | 'followReaders' | 'committedElsewhere'>;
}

/** Events have been committed. */
const committed = 'events';
/** The sender has readers. */
const reading = 'events-read';
/** The least time between two reads of an event stream: more notices would wake none. */
const pauseMs = 50;
/** A node that has just started learns by then who has readers; they look every 2 s until then. */
const renewMs = 10_000;
/** One of two renewals may be lost. A node that has died is notified for so long. */
const readMs = 25_000;

/**
 * Readers of the event streams of other nodes wake after a commit with events, instead of at their next look. The notice says nothing but
 * that: readers look behind their own cursor. A node without readers gets none, so calls cost the bus nothing where no client reads. Returns
 * the function that stops it.
 */
export function shareEventWakes({ clock, messages, outbox }: EventWakesDeps): () => void {
  const readUntil = new Map<string, Instant>();
  let cancelNotice: (() => void) | undefined;
  let cancelRenewal: (() => void) | undefined;

  function notify(): void {
    cancelNotice = undefined;
    for (const [node, until] of readUntil) {
      if (clock.now() < until) messages.notify(committed, new Uint8Array(), node);
      else readUntil.delete(node);
    }
  }

  function announce(): void {
    messages.notify(reading, new Uint8Array());
    cancelRenewal = clock.startTimer(clock.now() + renewMs, announce);
  }

  function endReading(): void {
    cancelRenewal?.();
    cancelRenewal = undefined;
  }

  const unsubscribe = outbox.subscribe(() => {
    if (readUntil.size > 0) cancelNotice ??= clock.startTimer(clock.now() + pauseMs, notify);
  }, 'of-this-process');
  messages.listen(reading, (_, from) => void readUntil.set(from, clock.now() + readMs));
  messages.listen(committed, () => outbox.committedElsewhere());
  const unfollow = outbox.followReaders((areThere) => (areThere ? announce() : endReading()));
  return () => {
    unsubscribe();
    unfollow();
    endReading();
    cancelNotice?.();
  };
}
