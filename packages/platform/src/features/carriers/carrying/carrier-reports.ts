import type { Logger } from '@jackfield/ports';
import { createAppendAlone } from '../../../kernel/append-alone.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { createRareEvents, type RareEventsDeps } from '../../../kernel/rare-events.ts';
import type { CarrierEvent } from '../domain/carrier-link.ts';
import type { Tried } from './carrier-routes.ts';

export interface CarrierReportsDeps
  extends Pick<RareEventsDeps, 'database' | 'clock' | 'outbox' | 'everyMs'> {
  readonly log: Logger;
  /** The operator's account, which is the first; undefined before it is known. */
  readonly account: () => string | undefined;
}

/** Reports to the operator's account about its carriers. */
export interface CarrierReports {
  /** A carrier did not carry a call: one event a minute for each carrier, reason and status, with the number of calls. */
  passedOver(leg: string, tried: Tried): void;
  happened(carrier: string, event: CarrierEvent): void;
}

export function createCarrierReports(deps: CarrierReportsDeps): CarrierReports {
  const { log } = deps;
  const appendAlone = createAppendAlone(deps);
  const reportRarely = createRareEvents(deps);

  /** Undefined before the operator's account is known. */
  function eventOf(carrier: string, type: string, payload: OutboxEvent['payload']): OutboxEvent | undefined {
    const account = deps.account();
    log.info({ carrier, ...payload }, `carrier ${type}`);
    if (account === undefined) return undefined;
    return {
      type: `carrier.${type}`,
      account,
      mainAccount: account,
      resource: `carrier/${carrier}`,
      payload: { carrier, ...payload },
    };
  }

  function report(carrier: string, type: string, payload: OutboxEvent['payload']): void {
    const event = eventOf(carrier, type, payload);
    if (event !== undefined) appendAlone(event);
  }

  return {
    passedOver(leg, { carrier, because, sipStatus }) {
      reportRarely(`${carrier} ${because} ${sipStatus}`, (calls) =>
        eventOf(carrier, 'call-passed-over', {
          reason: because,
          ...(sipStatus === undefined ? {} : { sip_status: sipStatus }),
          call_uuid: leg,
          calls,
        }),
      );
    },
    happened(carrier, event) {
      switch (event.name) {
        case 'registered':
          return report(carrier, event.name, { expires: event.expiresSeconds });
        case 'unregistered':
          return report(carrier, event.name, { reason: event.reason });
        default:
          return report(carrier, event.name, {});
      }
    },
  };
}
