import type { Clock, Database, Instant, Logger } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { Outbox } from '../../kernel/outbox.ts';

export interface RareEventsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** One event of a kind in this time, one minute. */
  readonly everyMs?: number;
  /** Kinds that are remembered at once, 10,000. */
  readonly remembered?: number;
}

/** Tells the feed of something that may happen thousands of times; `eventOf` is told how many times it has since the last event. */
export type TellRarely = (kind: string, eventOf: (times: number) => OutboxEvent) => void;

/** The first of a kind is told at once; those of the next minute are counted and told with the one after it. */
export function createRareEvents(deps: RareEventsDeps): TellRarely {
  const { database, clock, log, outbox, everyMs = 60_000, remembered = 10_000 } = deps;
  const told = new Map<string, { at: Instant; untold: number }>();

  return (kind, eventOf) => {
    const now = clock.now();
    const last = told.get(kind);
    if (last !== undefined && now < last.at + everyMs) {
      last.untold += 1;
      return;
    }
    told.delete(kind);
    // The oldest is in front: it is told again at the worst a little early.
    if (told.size >= remembered) told.delete(told.keys().next().value!);
    told.set(kind, { at: now, untold: 0 });
    const event = eventOf((last?.untold ?? 0) + 1);
    database
      .transact((write) => outbox.appendEvents(write, [event]))
      .then(
        () => outbox.wake(),
        (error: unknown) =>
          log.error({ err: error, type: event.type }, 'An event of trunks could not be told.'),
      );
  };
}
