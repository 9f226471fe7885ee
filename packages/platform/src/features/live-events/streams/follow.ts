import type { Logger } from '@jackfield/ports';
import { type EventLog, type EventReader, firstCursor, type LoggedEvent } from '../../../kernel/event-log.ts';
import type { Outbox } from '../../../kernel/outbox.ts';

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
  let reading = false;
  let isNews = false;
  let isOver = false;

  async function readOn(): Promise<void> {
    isNews = true;
    if (reading) return;
    reading = true;
    try {
      while (isNews && !isOver) {
        isNews = false;
        const found = await events.after(reader, cursor, pageLength);
        for (const event of found) if (!isOver) listener(event);
        cursor = found.at(-1)?.cursor ?? cursor;
        if (found.length === pageLength) isNews = true;
      }
    } catch (err) {
      log.warn({ err, account: reader.authId }, 'events not read; retried at the next event');
    } finally {
      reading = false;
    }
  }

  const unsubscribe = outbox.subscribe(() => void readOn());
  return () => {
    isOver = true;
    unsubscribe();
  };
}
