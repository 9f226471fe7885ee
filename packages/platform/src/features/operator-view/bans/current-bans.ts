import type { BannedSource } from '@jackfield/contract/console';
import type { Clock, Instant, SourceBan, SourceBans } from '@jackfield/ports';

export interface CurrentBans extends SourceBans {
  /** The newest first, without those that are over. */
  list(): readonly BannedSource[];
}

type Kept = Pick<SourceBan, 'source' | 'reason'> & { readonly until: Instant };

/** The newest bans of this process; a flood of sources forgets the oldest. */
export function createCurrentBans(clock: Clock, most = 1_000): CurrentBans {
  const bans = new Map<string, Kept>();
  return {
    banned({ source, reason, seconds }) {
      // Behind all others: the map keeps the order of insertion.
      bans.delete(source);
      bans.set(source, { source, reason, until: clock.wallNow() + seconds * 1000 });
      if (bans.size > most) bans.delete(bans.keys().next().value!);
    },
    list() {
      const now = clock.wallNow();
      for (const { source, until } of bans.values()) if (until <= now) bans.delete(source);
      return [...bans.values()].reverse().map(({ source, reason, until }) => ({
        source_address: source,
        reason,
        until: new Date(until).toISOString(),
      }));
    },
  };
}
