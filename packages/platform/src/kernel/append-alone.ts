import type { Database, Logger } from '@jackfield/ports';
import type { OutboxEvent } from './kernel-effects.ts';
import type { Outbox } from './outbox.ts';

export interface AppendAloneDeps {
  readonly database: Pick<Database, 'transact'>;
  readonly log: Pick<Logger, 'error'>;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
}

/** Appends an event without a change of state, in a transaction of its own. A failure is logged and the event is lost. */
export type AppendAlone = (event: OutboxEvent) => void;

/** These events have no receiver, and their order is that of the calls. */
export const appendLane = 'events alone';

export function createAppendAlone({ database, log, outbox }: AppendAloneDeps): AppendAlone {
  return (event) => {
    const { type, resource } = event;
    database
      .transact((write) => outbox.appendEvents(write, [event]), {
        isolation: 'read-committed',
        key: appendLane,
      })
      .then(
        () => outbox.wake(),
        (err: unknown) => log.error({ err, type, resource }, 'event not recorded'),
      );
  };
}
