import { randomUUID } from 'node:crypto';
import type { OutboxEvent, SessionRunner } from '@jackfield/platform';

interface Given {
  readonly type: 'given';
  readonly events: readonly OutboxEvent[];
}

interface Emit {
  readonly do: 'emit';
  readonly event: OutboxEvent;
}

const emit = (event: OutboxEvent): Emit => ({ do: 'emit', event });

/** Emits events that no feature emits, those of a call from one session, for tests of their delivery. */
export function createEventEmitter(
  runner: SessionRunner,
): (...events: readonly OutboxEvent[]) => Promise<void> {
  const sessions = runner.define<'begun' | 'over', Given, Emit>({
    name: 'invented-events',
    machine: {
      step: (state, input) => ({
        state: 'over',
        effects: state === 'begun' && input.type === 'given' ? input.events.map(emit) : [],
      }),
    },
    isEnded: (state) => state === 'over',
    perform: () => {},
  });
  return (...events) => sessions.open(randomUUID(), 'begun', { type: 'given', events });
}
