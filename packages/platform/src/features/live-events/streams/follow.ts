import type { Logger } from '@jackfield/ports';
import { type EventFeed, type FeedEvent, type FeedReader, feedStart } from '../../../kernel/event-feed.ts';
import type { Outbox } from '../../../kernel/outbox.ts';

export interface FollowDeps {
  readonly feed: EventFeed;
  readonly outbox: Pick<Outbox, 'subscribe'>;
  readonly log: Logger;
}

const page = 100;

/** Tells every event of the reader from now on, in order, inside this process; resolves with what ends that. */
export async function followEvents(
  { feed, outbox, log }: FollowDeps,
  reader: FeedReader,
  tell: (event: FeedEvent) => void,
): Promise<() => void> {
  let cursor = (await feed.newest(reader, 1))[0]?.cursor ?? feedStart;
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
        const events = await feed.after(reader, cursor, page);
        for (const event of events) if (!isOver) tell(event);
        cursor = events.at(-1)?.cursor ?? cursor;
        if (events.length === page) isNews = true;
      }
    } catch (err) {
      log.warn({ err, account: reader.authId }, 'events not followed; the next event tries again');
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
