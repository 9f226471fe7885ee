import type { Logger } from '@jackfield/ports';
import { type EventLog, type EventReader, firstCursor, type LoggedEvent } from '../../../kernel/event-log.ts';
import type { Outbox } from '../../../kernel/outbox.ts';
import { createRepeatedWork } from '../../../kernel/repeated-work.ts';

export interface FollowDeps {
  readonly events: EventLog;
  readonly outbox: Pick<Outbox, 'subscribe'>;
  readonly log: Logger;
}

const pageLength = 100;

/** Calls `listener` with every event of the reader from now on, in order; resolves with the unsubscribe. */
export async function followEvents(
  { events, outbox, log }: FollowDeps,
  reader: EventReader,
  listener: (event: LoggedEvent) => void,
): Promise<() => void> {
  let cursor = (await events.newest(reader, 1))[0]?.cursor ?? firstCursor;
  let isOver = false;

  async function readOn(): Promise<void> {
    try {
      for (let length = pageLength; length === pageLength && !isOver; ) {
        const found = await events.after(reader, cursor, pageLength);
        for (const event of found) if (!isOver) listener(event);
        cursor = found.at(-1)?.cursor ?? cursor;
        length = found.length;
      }
    } catch (err) {
      log.warn({ err, account: reader.authId }, 'events not read; retried at the next event');
    }
  }

  const reading = createRepeatedWork(readOn);
  const unsubscribe = outbox.subscribe(() => void reading.run());
  return () => {
    isOver = true;
    unsubscribe();
  };
}
