import { randomUUID } from 'node:crypto';
import type { OutboxEvent, SessionRunner } from '@jackfield/platform';

/** Emits events that no feature emits, each from a session of its own, for tests of their delivery. */
export function createEventEmitter(runner: SessionRunner): (event: OutboxEvent) => Promise<void> {
  const sessions = runner.define<'begun' | 'over', OutboxEvent, { readonly do: 'emit' }>({
    name: 'invented-events',
    machine: {
      step: (state, event) => ({
        state: 'over',
        effects: state === 'begun' ? [{ do: 'emit', event } as { readonly do: 'emit' }] : [],
      }),
    },
    isEnded: (state) => state === 'over',
    perform: () => {},
  });
  return (event) => sessions.open(randomUUID(), 'begun', event);
}
