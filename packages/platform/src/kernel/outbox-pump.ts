import type { Clock, Database, Instant, Logger } from '@jackfield/ports';
import { createKeyedQueue } from './keyed-queue.ts';
import type { DeliveryOutcome, OutboxConsumer } from './outbox-consumer.ts';
import type { OutboxLimits } from './outbox-limits.ts';
import { type OutboxStore, pruneEvents, type StoredEvent } from './outbox-store.ts';
import { createOutcomeRecords } from './outcome-records.ts';

export interface OutboxPump {
  /** Something may be due: looks at once. */
  wake(): void;
  /** Looks at `at`, unless it looks earlier anyway. */
  wakeAt(at: Instant): void;
  /** So many of those that were set aside in the lane go out now. */
  resume(lane: string, places: number): Promise<number>;
  /** Resolves when nothing is looked for and nothing is on its way. */
  idle(): Promise<void>;
  /** Takes nothing new, and waits for deliveries that are on their way. */
  close(): Promise<void>;
}

export interface OutboxPumpDeps {
  readonly database: Database;
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: OutboxLimits;
  /**
   * No other process delivers from this database: what is on its way is known here, and need not be written down; what
   * was claimed at the start was claimed by one that is gone.
   */
  readonly isAlone: boolean;
  /** Absent while nobody takes events: they are kept, and pruned like delivered ones. */
  readonly consumer: OutboxConsumer | undefined;
}

/** A statement that changes more would hold up those who wait to write. */
const rowsAtOnce = 1_000;

export function startOutboxPump(deps: OutboxPumpDeps): OutboxPump {
  const { database, store, clock, log, limits, consumer, isAlone } = deps;
  const inFlight = new Map<number, Promise<void>>();
  /** Whatever came to its end while a look was reading: what was read of it is stale. */
  const settled = new Set<number>();
  const held = new Set<() => void>();
  const errands = new Set<Promise<unknown>>();
  const lanes = createKeyedQueue();
  const record = createOutcomeRecords(database, store, clock);
  let armed: { readonly at: Instant; readonly cancel: () => void } | undefined;
  let looking: Promise<void> | undefined;
  let isLookWanted = false;
  let pruneAt = clock.now();
  let prunedUpTo = 0;
  let isClosed = false;
  let isReleased = !isAlone;

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
        isLookWanted = false;
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
    if (consumer === undefined) return pruneAt;
    if (!isReleased) await release(now);
    const free = limits.concurrency - inFlight.size;
    const regularly = Math.min(now + limits.lookEveryMs, pruneAt);
    // The end of a delivery looks again.
    if (free <= 0) return regularly;
    const { events, next } = await takeDue(now, free);
    setOut(events, consumer);
    return Math.min(next ?? regularly, regularly);
  }

  async function takeDue(now: Instant, free: number) {
    if (!isAlone) {
      const events = await store.claim(now, now + limits.leaseMs, free);
      if (events.length === free) return { events, next: undefined };
      return { events, next: (await store.armed(1))[0]?.next_attempt_at };
    }
    settled.clear();
    // Those on their way are due as well, and stand in front.
    const armedOnes = await store.armed(inFlight.size + free + 1);
    const open = armedOnes.filter(({ id }) => !inFlight.has(id) && !settled.has(id));
    const due = open.filter((each) => each.next_attempt_at <= now).slice(0, free);
    const found = await Promise.all(due.map(({ id }) => store.find(id)));
    const events = found.filter((event) => event !== undefined);
    return { events, next: open.find((each) => each.next_attempt_at > now)?.next_attempt_at };
  }

  function setOut(events: readonly StoredEvent[], { admit, deliver }: OutboxConsumer): void {
    const aside = new Map<string, StoredEvent[]>();
    for (const event of events) {
      const lane = admit?.(event);
      if (lane === undefined) follow([event], take(event, deliver));
      else if (aside.has(lane)) aside.get(lane)!.push(event);
      else aside.set(lane, [event]);
    }
    for (const [lane, parked] of aside) follow(parked, park(lane, parked));
  }

  function follow(events: readonly StoredEvent[], work: Promise<void>): void {
    const end = work.finally(() => {
      for (const { id } of events) {
        inFlight.delete(id);
        settled.add(id);
      }
      wake();
    });
    for (const { id } of events) inFlight.set(id, end);
  }

  async function park(lane: string, events: readonly StoredEvent[]): Promise<void> {
    const until = clock.now() + limits.longestAsideMs;
    try {
      // In line with `resume`: a place that is freed meanwhile finds them.
      await lanes.run(lane, () => database.transact((write) => store.park(write, lane, events, until)));
    } catch (err) {
      log.error({ err, lane }, 'Events could not be set aside; they are looked at again.');
      await hold();
    }
  }

  async function take(event: StoredEvent, deliver: OutboxConsumer['deliver']): Promise<void> {
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
    if (outcome === 'retry') {
      const isLast = event.attempts >= limits.attempts;
      if (isLast) log.error(about, 'An event was abandoned after its last attempt.');
      outcome = isLast ? 'abandoned' : { retryAt: clock.now() + pause(event), isAttempt: true };
    }
    try {
      await record(event, outcome);
    } catch (err) {
      log.error({ ...about, err }, 'The outcome of a delivery could not be recorded; it is made once more.');
      await hold();
    }
  }

  /** While the database is out of order nothing is sent again and again. */
  function hold(): Promise<void> {
    if (isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        held.delete(end);
        resolve();
      };
      const cancel = clock.startTimer(clock.now() + limits.lookEveryMs, end);
      held.add(end);
    });
  }

  function pause(event: StoredEvent): number {
    return Math.min(limits.longestPauseMs, limits.firstPauseMs * 2 ** (event.attempts - 1));
  }

  async function release(now: Instant): Promise<void> {
    for (let left = 1; left > 0 && !isClosed; ) {
      left = await database.transact((write) => store.release(write, rowsAtOnce, now));
    }
    // The clock may have been set back since they were put off.
    await database.transact((write) => store.bringForward(write, now + limits.longestPauseMs));
    isReleased = true;
  }

  async function prune(now: Instant): Promise<void> {
    const last = await pruneEvents(database, {
      olderThan: clock.wallNow() - limits.keepMs,
      number: limits.keepNumber,
      unfinishedToo: consumer === undefined,
      after: prunedUpTo,
      limit: rowsAtOnce,
    });
    prunedUpTo = last ?? 0;
    // When there was a full portion, the next one follows at the next look.
    if (last === undefined) pruneAt = now + limits.pruneEveryMs;
    else isLookWanted = true;
  }

  async function idle(): Promise<void> {
    while (looking !== undefined || inFlight.size > 0 || errands.size > 0) {
      await looking;
      await Promise.all(inFlight.values());
      await Promise.allSettled(errands);
    }
  }

  wake();
  return {
    wake,
    wakeAt: arm,
    resume(lane, places) {
      const errand = lanes
        .run(lane, () => database.transact((write) => store.resume(write, lane, places, clock.now())))
        .then((resumed) => {
          if (resumed > 0) wake();
          return resumed;
        })
        .finally(() => errands.delete(errand));
      errands.add(errand);
      return errand;
    },
    idle,
    close() {
      isClosed = true;
      armed?.cancel();
      for (const end of held) end();
      return idle();
    },
  };
}
