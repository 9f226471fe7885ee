import type { Clock, Instant, Logger } from '@jackfield/ports';
import type { EventCursor, EventLog, EventReader } from '../../../kernel/event-log.ts';
import { type EventFilter, isOfType, sentComment, sentEventOf } from '../views.ts';

/** The connection that a stream writes to. */
export interface StreamTarget {
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
  end(text?: string): void;
}

export interface StreamLimits {
  /** Time without an event before a comment, which shows proxies and clients that the stream is alive. */
  readonly heartbeatMs: number;
  /** Events that are read at once. */
  readonly page: number;
  /** Least time between two reads for one client. */
  readonly pauseMs: number;
  /** Time between two reads without a wake: the notice of another node may be lost. */
  readonly lookEveryMs: number;
  /** A client that reads nothing for so long is cut off. */
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
  /** Events may have been committed. */
  wake(): void;
  end(comment: string): void;
}

export interface EventStreamDeps {
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: StreamLimits;
}

/**
 * The stream of one client. Nothing is collected for it: it reads a page behind its cursor, and the next page only when the
 * client has read the page before.
 */
export function openEventStream(
  { events, clock, log, limits }: EventStreamDeps,
  reader: EventReader,
  from: EventCursor,
  filter: EventFilter,
  target: StreamTarget,
): EventStream {
  let cursor = from;
  let isReading = false;
  let isRequested = false;
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
    const sentence = `cut off: nothing was read for ${limits.slowMs / 1000} s; continue with Last-Event-ID`;
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
      isRequested = true;
      return;
    }
    isReading = true;
    isRequested = false;
    readAt = clock.now();
    let pageLength = 0;
    try {
      const page = await events.after(reader, cursor, limits.page, filter.resources);
      pageLength = page.length;
      if (isOver) return;
      const matching = page.filter((event) => isOfType(event, filter.type));
      cursor = page.at(-1)?.cursor ?? cursor;
      if (matching.length > 0) write(matching.map(sentEventOf).join(''));
    } catch (err) {
      log.warn({ err, account: reader.authId }, 'events not read; retried later');
    } finally {
      isReading = false;
    }
    const isMore = isRequested || pageLength === limits.page;
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
