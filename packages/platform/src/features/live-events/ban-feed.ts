import type { Clock, Database, Logger, SourceBan, SourceBans } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { Outbox } from '../../kernel/outbox.ts';

export interface BanFeedDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** The operator's account, which is the first; undefined before it is known. */
  readonly account: () => string | undefined;
  /** Bans that are told of in `everyMs`, 10 in a minute; the next one says how many were not. */
  readonly most?: number;
  readonly everyMs?: number;
}

/** Tells the operator's account of sources that signalling has banned. */
export function createBanFeed(deps: BanFeedDeps): SourceBans {
  const { database, clock, log, outbox, most = 10, everyMs = 60_000 } = deps;
  let since = Number.NEGATIVE_INFINITY;
  let told = 0;
  let untold = 0;

  return {
    banned(ban) {
      const now = clock.now();
      if (now >= since + everyMs) {
        since = now;
        told = 0;
      }
      const account = deps.account();
      if (account === undefined || told >= most) {
        untold += 1;
        return;
      }
      told += 1;
      const event = bannedEvent(account, ban, untold);
      untold = 0;
      log.warn({ ...ban }, 'A source of SIP is not heard for a time.');
      database
        .transact((write) => outbox.appendEvents(write, [event]))
        .then(
          () => outbox.wake(),
          (error: unknown) => log.error({ err: error }, 'A banned source could not be told of.'),
        );
    },
  };
}

function bannedEvent(account: string, { source, reason, seconds }: SourceBan, untold: number): OutboxEvent {
  return {
    type: 'source.banned',
    account,
    mainAccount: account,
    resource: `source/${source}`,
    payload: { source_address: source, reason, seconds, bans_not_told: untold },
  };
}
