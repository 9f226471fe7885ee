import type { Clock, Database, Instant, Logger } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { Tried } from './carrier-routes.ts';
import type { CarrierEvent } from './domain/carrier-life.ts';

export interface CarrierFeedDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** The operator's account, which is the first; undefined before it is known. */
  readonly account: () => string | undefined;
  /** One event per carrier and reason in this time, one minute. */
  readonly everyMs?: number;
}

/** Tells the operator's account of its carriers. */
export interface CarrierFeed {
  /** A carrier did not take a call: the first of a kind at once, those of its minute with the one after it. */
  passedOver(leg: string, tried: Tried): void;
  happened(carrier: string, event: CarrierEvent): void;
}

export function createCarrierFeed(deps: CarrierFeedDeps): CarrierFeed {
  const { database, clock, log, outbox, everyMs = 60_000 } = deps;
  const told = new Map<string, { readonly at: Instant; untold: number }>();

  function tell(carrier: string, type: string, payload: OutboxEvent['payload']): void {
    const account = deps.account();
    log.info({ carrier, ...payload }, `A carrier: ${type}.`);
    if (account === undefined) return;
    const event: OutboxEvent = {
      type: `carrier.${type}`,
      account,
      mainAccount: account,
      resource: `carrier/${carrier}`,
      payload: { carrier, ...payload },
    };
    database
      .transact((write) => outbox.appendEvents(write, [event]))
      .then(
        () => outbox.wake(),
        (error: unknown) => log.error({ carrier, err: error }, 'What a carrier did could not be told of.'),
      );
  }

  return {
    passedOver(leg, { carrier, because, sipStatus }) {
      const now = clock.now();
      // Bounded by the operator's file: carriers and reasons.
      const key = `${carrier} ${because}`;
      const last = told.get(key);
      if (last !== undefined && now < last.at + everyMs) {
        last.untold += 1;
        return;
      }
      told.set(key, { at: now, untold: 0 });
      tell(carrier, 'call-passed-over', {
        reason: because,
        ...(sipStatus === undefined ? {} : { sip_status: sipStatus }),
        call_uuid: leg,
        calls: (last?.untold ?? 0) + 1,
      });
    },
    happened(carrier, event) {
      switch (event.name) {
        case 'registered':
          return tell(carrier, event.name, { expires: event.expiresSeconds });
        case 'unregistered':
          return tell(carrier, event.name, { reason: event.reason });
        default:
          return tell(carrier, event.name, {});
      }
    },
  };
}
