import type { Clock } from '../ports/clock.ts';
import type { Database } from '../ports/database.ts';
import type { Logger } from '../ports/logger.ts';
import type { Instant } from './machine.ts';
import {
  claimDue,
  finishEvent,
  nextDue,
  postponeEvent,
  pruneEvents,
  releaseClaims,
  type StoredEvent,
} from './outbox-store.ts';

/**
 * Takes an event to whoever wants it. `retry`, or a rejection, brings the same event again later, within the outbox's limits;
 * `retryAt` at that instant, whatever the limits; what is behind it waits. `abandoned` lets what is behind it go on.
 */
export type Deliver = (event: StoredEvent) => Promise<DeliveryOutcome>;

export type DeliveryOutcome =
  | 'delivered'
  | 'retry'
  | 'abandoned'
  /** `isAttempt` is false where nothing was tried. */
  | { readonly retryAt: Instant; readonly isAttempt: boolean };

export interface OutboxLimits {
  /** Deliveries of this node at the same time. */
  readonly concurrency: number;
  /** A delivery whose node died is made again by another after this long. Longer than any delivery takes. */
  readonly leaseMs: number;
  /** Pause before the second attempt; doubled from attempt to attempt. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Then the event is abandoned, and those behind it go on. */
  readonly attempts: number;
  /** How often the database is asked without a reason: events of nodes that died. */
  readonly lookEveryMs: number;
  /** Finished events stay this long, and the newest `keepNumber` at most; without a consumer that holds for all. */
  readonly keepMs: number;
  readonly keepNumber: number;
  readonly pruneEveryMs: number;
}

/** 10 attempts with these pauses reach over 8.5 hours. */
export const outboxLimits: OutboxLimits = {
  concurrency: 32,
  leaseMs: 60_000,
  firstPauseMs: 60_000,
  longestPauseMs: 3_600_000 * 6,
  attempts: 10,
  lookEveryMs: 5_000,
  keepMs: 7 * 86_400_000,
  keepNumber: 1_000_000,
  pruneEveryMs: 60_000,
};

export interface OutboxPump {
  /** Something may be due: looks at once. */
  wake(): void;
  /** Looks at `at`, unless it looks earlier anyway. */
  wakeAt(at: Instant): void;
  /** Resolves when nothing is looked for and nothing is on its way. */
  idle(): Promise<void>;
  /** Takes nothing new, and waits for deliveries that are on their way. */
  close(): Promise<void>;
}

export interface OutboxPumpDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: OutboxLimits;
  /** No other process delivers from this database: what is claimed at the start was claimed by one that is gone. */
  readonly isAlone: boolean;
  /** Absent while nobody takes events: they are kept, and pruned like delivered ones. */
  readonly deliver: Deliver | undefined;
}

/** A statement that removes more would hold up those who wait to write. */
const prunedPerStatement = 1_000;

export function startOutboxPump(deps: OutboxPumpDeps): OutboxPump {
  const { database, clock, log, limits, deliver } = deps;
  const inFlight = new Set<Promise<void>>();
  let armed: { readonly at: Instant; readonly cancel: () => void } | undefined;
  let looking: Promise<void> | undefined;
  let isLookWanted = false;
  let pruneAt = clock.now();
  let isClosed = false;
  let areClaimsOurs = !deps.isAlone;

  function arm(at: Instant): void {
    if (isClosed || (armed !== undefined && armed.at <= at)) return;
    armed?.cancel();
    const cancel = clock.startTimer(at, () => {
      armed = undefined;
      wake();
    });
    armed = { at, cancel };
  }

  function wake(): void {
    if (isClosed) return;
    if (looking !== undefined) {
      isLookWanted = true;
      return;
    }
    armed?.cancel();
    armed = undefined;
    isLookWanted = false;
    looking = look()
      .catch((err: unknown) => {
        log.error({ err }, 'The outbox could not be read; it will be tried again.');
        return clock.now() + limits.lookEveryMs;
      })
      .then((next) => {
        looking = undefined;
        if (isLookWanted) wake();
        else arm(next);
      });
  }

  /** Takes what is due and resolves with the instant of the next look. */
  async function look(): Promise<Instant> {
    const now = clock.now();
    if (now >= pruneAt) await prune(now);
    if (deliver === undefined) return pruneAt;
    if (!areClaimsOurs) {
      await releaseClaims(database, now);
      areClaimsOurs = true;
    }
    const free = limits.concurrency - inFlight.size;
    const regularly = Math.min(now + limits.lookEveryMs, pruneAt);
    // The end of a delivery looks again.
    if (free <= 0) return regularly;
    const events = await claimDue(database, now, now + limits.leaseMs, free);
    for (const event of events) {
      const delivery = take(event, deliver).finally(() => {
        inFlight.delete(delivery);
        wake();
      });
      inFlight.add(delivery);
    }
    if (events.length === free) return regularly;
    return Math.min((await nextDue(database.read)) ?? regularly, regularly);
  }

  async function take(event: StoredEvent, deliver: Deliver): Promise<void> {
    const about = {
      event: event.eventId,
      type: event.type,
      resource: event.resource,
      attempts: event.attempts,
    };
    let outcome: DeliveryOutcome;
    try {
      outcome = await deliver(event);
    } catch (err) {
      log.warn({ ...about, err }, 'The delivery of an event failed.');
      outcome = 'retry';
    }
    try {
      if (typeof outcome === 'object') {
        await postponeEvent(database, event, outcome.retryAt, outcome.isAttempt);
      } else if (outcome !== 'retry') {
        await finishEvent(database, event, outcome, clock.now());
      } else if (event.attempts < limits.attempts) {
        await postponeEvent(database, event, clock.now() + pause(event), true);
      } else {
        log.error(about, 'An event was abandoned after its last attempt.');
        await finishEvent(database, event, 'abandoned', clock.now());
      }
    } catch (err) {
      // Its lease ends by itself, and it is delivered once more.
      log.error({ ...about, err }, 'The outcome of a delivery could not be recorded.');
    }
  }

  function pause(event: StoredEvent): number {
    return Math.min(limits.longestPauseMs, limits.firstPauseMs * 2 ** (event.attempts - 1));
  }

  async function prune(now: Instant): Promise<void> {
    const pruned = await pruneEvents(database, {
      olderThan: now - limits.keepMs,
      number: limits.keepNumber,
      unfinishedToo: deliver === undefined,
      limit: prunedPerStatement,
    });
    // When there was a full portion, the next one follows at the next look.
    if (pruned < prunedPerStatement) pruneAt = now + limits.pruneEveryMs;
    else isLookWanted = true;
  }

  async function idle(): Promise<void> {
    while (looking !== undefined || inFlight.size > 0) {
      await looking;
      await Promise.all(inFlight);
    }
  }

  wake();
  return {
    wake,
    wakeAt: arm,
    idle,
    close() {
      isClosed = true;
      armed?.cancel();
      return idle();
    },
  };
}
