import type { Clock, Instant, Logger } from '@jackfield/ports';
import type { EventFeed, FeedCursor, FeedReader } from '../../../kernel/event-feed.ts';
import { isOfType, sentComment, sentEventOf } from '../views.ts';

/** What a stream writes to. */
export interface StreamTarget {
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
  end(text?: string): void;
}

export interface StreamLimits {
  /** A comment after this long, so that proxies and clients know that the stream is alive. */
  readonly heartbeatMs: number;
  /** Events that are read at once. */
  readonly page: number;
  /** No client is read for more often. */
  readonly pauseMs: number;
  /** Other nodes' events come without a wake-up: looked for this often. */
  readonly lookEveryMs: number;
  /** Whoever takes nothing for so long is cut off. */
  readonly slowMs: number;
}

export const streamLimits: StreamLimits = {
  heartbeatMs: 15_000,
  page: 100,
  pauseMs: 50,
  lookEveryMs: 2_000,
  slowMs: 20_000,
};

export interface EventStream {
  /** There may be something new. */
  wake(): void;
  end(comment: string): void;
}

export interface EventStreamDeps {
  readonly feed: EventFeed;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: StreamLimits;
}

/**
 * One client's stream. Nothing is collected for it: it reads the feed behind its cursor, a page at a time, and reads on
 * only when the client has taken the page before.
 */
export function openEventStream(
  { feed, clock, log, limits }: EventStreamDeps,
  reader: FeedReader,
  from: FeedCursor,
  type: string | undefined,
  target: StreamTarget,
): EventStream {
  let cursor = from;
  let isReading = false;
  let isWanted = false;
  let isFull = false;
  let isOver = false;
  let writtenAt: Instant = clock.now();
  let readAt: Instant = Number.NEGATIVE_INFINITY;
  let cancelNext: (() => void) | undefined;
  let cancelBeat: (() => void) | undefined;
  let cancelSlow: (() => void) | undefined;

  function write(text: string): void {
    writtenAt = clock.now();
    if (target.write(text) || isFull) return;
    isFull = true;
    const sentence = `cut off: nothing was taken for ${limits.slowMs / 1000} s; go on with Last-Event-ID`;
    cancelSlow = clock.startTimer(clock.now() + limits.slowMs, () => end(sentence));
  }

  function next(at: Instant): void {
    if (isOver) return;
    cancelNext?.();
    cancelNext = clock.startTimer(at, () => {
      cancelNext = undefined;
      void readOn();
    });
  }

  async function readOn(): Promise<void> {
    if (isOver || isFull) return;
    if (isReading) {
      isWanted = true;
      return;
    }
    isReading = true;
    isWanted = false;
    readAt = clock.now();
    let pageLength = 0;
    try {
      const events = await feed.after(reader, cursor, limits.page);
      pageLength = events.length;
      if (isOver) return;
      const wanted = events.filter((event) => isOfType(event, type));
      cursor = events.at(-1)?.cursor ?? cursor;
      if (wanted.length > 0) write(wanted.map(sentEventOf).join(''));
    } catch (err) {
      log.warn(
        { err, account: reader.authId },
        'The feed of events could not be read; it will be tried again.',
      );
    } finally {
      isReading = false;
    }
    const isMore = isWanted || pageLength === limits.page;
    next(isMore ? readAt + limits.pauseMs : clock.now() + limits.lookEveryMs);
  }

  function beat(): void {
    const due = writtenAt + limits.heartbeatMs;
    cancelBeat = clock.startTimer(due > clock.now() ? due : clock.now() + limits.heartbeatMs, () => {
      if (!isFull && clock.now() >= writtenAt + limits.heartbeatMs) write(sentComment('still here'));
      beat();
    });
  }

  function stop(): void {
    isOver = true;
    for (const cancel of [cancelNext, cancelBeat, cancelSlow]) cancel?.();
  }

  function end(comment: string): void {
    if (isOver) return;
    stop();
    target.end(sentComment(comment));
  }

  target.onClose(stop);
  target.onDrain(() => {
    isFull = false;
    cancelSlow?.();
    if (!isOver) void readOn();
  });
  write(sentComment('events follow'));
  beat();
  void readOn();
  return {
    wake() {
      if (clock.now() - readAt >= limits.pauseMs) void readOn();
      else next(readAt + limits.pauseMs);
    },
    end,
  };
}
