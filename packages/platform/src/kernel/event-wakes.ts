import type { Clock } from '@jackfield/ports';
import type { NodeMessages } from './node-messages.ts';
import type { Outbox } from './outbox.ts';

export interface EventWakesDeps {
  readonly clock: Clock;
  readonly messages: Pick<NodeMessages, 'notify' | 'listen'>;
  readonly outbox: Pick<Outbox, 'subscribe' | 'committedElsewhere'>;
}

const subject = 'events';
/** The least time between two reads of an event stream: more notices would wake none. */
const pauseMs = 50;

/**
 * Readers of the event streams of other nodes wake after a commit with events, instead of at their next look. The notice says nothing but
 * that: readers look behind their own cursor. Returns the function that stops it.
 */
export function shareEventWakes({ clock, messages, outbox }: EventWakesDeps): () => void {
  let cancel: (() => void) | undefined;
  const unsubscribe = outbox.subscribe(() => {
    cancel ??= clock.startTimer(clock.now() + pauseMs, () => {
      cancel = undefined;
      messages.notify(subject, new Uint8Array());
    });
  }, 'of-this-process');
  messages.listen(subject, () => outbox.committedElsewhere());
  return () => {
    unsubscribe();
    cancel?.();
  };
}
