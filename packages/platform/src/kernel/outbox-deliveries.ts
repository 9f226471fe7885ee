import type { Clock, Logger } from '@jackfield/ports';
import type { DeliveryOutcome, OutboxConsumer } from './outbox-consumer.ts';
import type { FailurePause } from './outbox-failure-pause.ts';
import type { OutboxLanes } from './outbox-lanes.ts';
import type { OutboxLimits } from './outbox-limits.ts';
import type { LookSchedule } from './outbox-look-schedule.ts';
import type { StoredEvent } from './outbox-store.ts';
import type { DecidedOutcome, RecordOutcome } from './outcome-records.ts';

export interface OutboxDeliveriesDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: OutboxLimits;
  readonly record: RecordOutcome;
  readonly lanes: Pick<OutboxLanes, 'park'>;
  readonly schedule: Pick<LookSchedule, 'wake'>;
  readonly failurePause: FailurePause;
}

/** Events that are being delivered or set aside. The end of each wakes the schedule. */
export class OutboxDeliveries {
  readonly #deps: OutboxDeliveriesDeps;
  readonly #inFlight = new Map<number, Promise<void>>();
  /** Events that ended since the last `beginLook`: rows that were read before are stale. */
  readonly #ended = new Set<number>();

  constructor(deps: OutboxDeliveriesDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#inFlight.size;
  }

  beginLook(): void {
    this.#ended.clear();
  }

  /** Whether an event in flight, or ended since `beginLook`, has this id. */
  has(id: number): boolean {
    return this.#inFlight.has(id) || this.#ended.has(id);
  }

  /** Delivers the events that the consumer admits, and sets the others aside. */
  start(events: readonly StoredEvent[], { admit, deliver }: OutboxConsumer): void {
    const aside = new Map<string, StoredEvent[]>();
    for (const event of events) {
      const lane = admit?.(event);
      if (lane === undefined) this.#follow([event], this.#attempt(event, deliver));
      else if (aside.has(lane)) aside.get(lane)!.push(event);
      else aside.set(lane, [event]);
    }
    for (const [lane, parked] of aside) this.#follow(parked, this.#deps.lanes.park(lane, parked));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#inFlight.values());
  }

  #follow(events: readonly StoredEvent[], work: Promise<void>): void {
    const end = work.finally(() => {
      for (const { id } of events) {
        this.#inFlight.delete(id);
        this.#ended.add(id);
      }
      this.#deps.schedule.wake();
    });
    for (const { id } of events) this.#inFlight.set(id, end);
  }

  async #attempt(event: StoredEvent, deliver: OutboxConsumer['deliver']): Promise<void> {
    const { log, record, failurePause } = this.#deps;
    let outcome: DeliveryOutcome;
    try {
      outcome = await deliver(event);
    } catch (err) {
      log.warn({ ...about(event), err }, 'event delivery failed');
      outcome = 'retry';
    }
    try {
      await record(event, this.#decide(event, outcome));
    } catch (err) {
      log.error({ ...about(event), err }, 'delivery outcome not recorded; the event is delivered again');
      await failurePause.wait();
    }
  }

  #decide(event: StoredEvent, outcome: DeliveryOutcome): DecidedOutcome {
    const { clock, limits, log } = this.#deps;
    if (outcome !== 'retry') return outcome;
    if (event.attempts >= limits.attempts) {
      log.error(about(event), 'event abandoned after its last attempt');
      return 'abandoned';
    }
    const doubled = limits.firstPauseMs * 2 ** (event.attempts - 1);
    return { retryAt: clock.now() + Math.min(limits.longestPauseMs, doubled), isAttempt: true };
  }
}

/** Fields of a log line. */
function about({ eventId, type, resource, attempts }: StoredEvent): object {
  return { event: eventId, type, resource, attempts };
}
