import type { Logger, SourceBan, SourceBans } from '@jackfield/ports';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { createRareEvents, type RareEventsDeps } from '../../../kernel/rare-events.ts';

export interface BanReportsDeps extends Pick<RareEventsDeps, 'database' | 'clock' | 'outbox' | 'everyMs'> {
  readonly log: Logger;
  /** The operator's account, which is the first; undefined before it is known. */
  readonly account: () => string | undefined;
  /** Bans that are reported in `everyMs`, 10 in a minute; the next report carries the number of the others. */
  readonly most?: number;
  /** Accepts each ban as well, whether it is reported or not. */
  readonly also: SourceBans;
}

/** Reports sources that signalling has banned to the operator's account. */
export function createBanReports({ most = 10, also, ...deps }: BanReportsDeps): SourceBans {
  const reportRarely = createRareEvents({ ...deps, most });
  return {
    banned(ban) {
      also.banned(ban);
      reportRarely('source.banned', (bans) => {
        const account = deps.account();
        if (account === undefined) return undefined;
        deps.log.warn({ ...ban }, 'SIP source banned');
        return bannedEvent(account, ban, bans - 1);
      });
    },
  };
}

function bannedEvent(
  account: string,
  { source, reason, seconds }: SourceBan,
  unreported: number,
): OutboxEvent {
  return {
    type: 'source.banned',
    account,
    mainAccount: account,
    resource: `source/${source}`,
    payload: { source_address: source, reason, seconds, unreported_bans: unreported },
  };
}
