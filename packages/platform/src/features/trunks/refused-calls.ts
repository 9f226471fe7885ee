import type { Instant, OutboxEvent } from '../../kernel/machine.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database } from '../../ports/database.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RefusedTrunkCall } from '../../ports/trunks.ts';

export interface RefusedCallsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** One event per trunk and reason in this time, one minute. */
  readonly everyMs?: number;
  /** Trunks and reasons that are remembered at once, 10,000. */
  readonly remembered?: number;
}

/**
 * Tells of refused calls in the feed. Whoever guesses passwords sends thousands: the first of a kind is told at once, those of
 * the next minute are counted and told with the one after it.
 */
export function createRefusedCalls(deps: RefusedCallsDeps): (refusal: RefusedTrunkCall) => void {
  const { database, clock, log, outbox, everyMs = 60_000, remembered = 10_000 } = deps;
  const told = new Map<string, { at: Instant; untold: number }>();

  return (refusal) => {
    const now = clock.now();
    const key = `${refusal.access.trunk} ${refusal.reason}`;
    const last = told.get(key);
    if (last !== undefined && now < last.at + everyMs) {
      last.untold += 1;
      return;
    }
    told.delete(key);
    // The oldest is in front: it is told again at the worst a little early.
    if (told.size >= remembered) told.delete(told.keys().next().value!);
    told.set(key, { at: now, untold: 0 });
    const event = refusedEvent(refusal, (last?.untold ?? 0) + 1);
    database
      .transact((write) => outbox.appendEvents(write, [event]))
      .then(
        () => outbox.wake(),
        (error: unknown) => log.error({ err: error }, 'A refused trunk call could not be told of.'),
      );
  };
}

/** As long as any of these is when it means something. */
const longest = 255;

function refusedEvent(refusal: RefusedTrunkCall, calls: number): OutboxEvent {
  const { access, reason, sourceAddress } = refusal;
  return {
    type: 'trunk.call-refused',
    account: access.account,
    mainAccount: access.mainAccount,
    resource: `trunk/${access.trunk}`,
    payload: {
      trunk_id: access.trunk,
      reason,
      source_address: sourceAddress,
      username: readable(refusal.username),
      from: readable(refusal.from),
      to: readable(refusal.to),
      calls,
    },
  };
}

/** Nothing of it was shown to be true, and databases refuse NUL. */
function readable(text: string): string {
  return Array.from(text.replace(/[\p{Cc}\p{Cs}]/gu, ''))
    .slice(0, longest)
    .join('');
}
