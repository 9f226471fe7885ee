import type { Clock, Database, Logger, Metrics } from '@jackfield/ports';
import type { Outbox } from '../../kernel/outbox.ts';
import { refusalEvent } from './events.ts';

export interface RefusalDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
}

export type TellRefusal = (account: string, mainAccount: string, reason: string, recipient: string) => void;

/** Of refusals of one reason the first is told at once, those of the minute after it with the next: an attack writes no flood. */
const quietMs = 60_000;
/** Beyond so many accounts and reasons the oldest are forgotten; their next refusal is told at once. */
const maxRemembered = 10_000;

export function createRefusals({ database, clock, log, metrics, outbox }: RefusalDeps): TellRefusal {
  const told = new Map<string, { at: number; untold: number }>();

  return (account, mainAccount, reason, recipient) => {
    metrics.count('jackfield_verify_refusals_total', { reason });
    const key = `${account}/${reason}`;
    const now = clock.now();
    const before = told.get(key);
    if (before !== undefined && now < before.at + quietMs) {
      before.untold++;
      return;
    }
    if (told.size >= maxRemembered) told.delete(told.keys().next().value!);
    told.delete(key);
    told.set(key, { at: now, untold: 0 });
    const event = refusalEvent(account, mainAccount, reason, recipient, 1 + (before?.untold ?? 0));
    database
      .transact((write) => outbox.appendEvents(write, [event]))
      .then(outbox.wake, (err: unknown) =>
        log.error({ err, account, reason }, 'A refusal could not be told.'),
      );
  };
}
