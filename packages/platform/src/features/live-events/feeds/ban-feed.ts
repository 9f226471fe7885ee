import type { Logger, SourceBan, SourceBans } from '@jackfield/ports';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { createRareEvents, type RareEventsDeps } from '../../../kernel/rare-events.ts';

export interface BanFeedDeps extends Pick<RareEventsDeps, 'database' | 'clock' | 'outbox' | 'everyMs'> {
  readonly log: Logger;
  /** The operator's account, which is the first; undefined before it is known. */
  readonly account: () => string | undefined;
  /** Bans that are reported in `everyMs`, 10 in a minute; the next one says how many were not. */
  readonly most?: number;
}

/** Tells the operator's account of sources that signalling has banned. */
export function createBanFeed({ most = 10, ...deps }: BanFeedDeps): SourceBans {
  const reportRarely = createRareEvents({ ...deps, most });
  return {
    banned(ban) {
      reportRarely('source.banned', (bans) => {
        const account = deps.account();
        if (account === undefined) return undefined;
        deps.log.warn({ ...ban }, 'A source of SIP is not heard for a time.');
        return bannedEvent(account, ban, bans - 1);
      });
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
