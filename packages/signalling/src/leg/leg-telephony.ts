import type { DialRequest, LegKey, LegListener, LegReport, Telephony } from '@jackfield/ports';
import type { LegRunner } from './leg-runner.ts';
import type { LegInput } from './leg-state.ts';
import { callOf, type LiveLeg } from './live-leg.ts';
import type { Transfers } from './transfers.ts';

/** The telephony port without the opening of sockets. */
export type LegTelephony = Omit<Telephony, 'open'>;

/** The listeners that the platform sets before the first leg. */
export interface LegListeners {
  notify: LegListener;
  press: (key: LegKey) => void;
  report: (report: LegReport) => void;
}

export interface LegTelephonyDeps {
  /** Legs that have not ended, by their call UUIDs. */
  readonly legs: ReadonlyMap<string, LiveLeg>;
  readonly runner: Pick<LegRunner, 'send'>;
  readonly transfers: Pick<Transfers, 'listen' | 'legOf'>;
  readonly listeners: LegListeners;
  readonly dialFor: (request: DialRequest, listener: LegListener) => void;
}

/** The orders of the platform to its legs. An order to a leg that has ended is ignored. */
export function createLegTelephony({
  legs,
  runner,
  transfers,
  listeners,
  dialFor,
}: LegTelephonyDeps): LegTelephony {
  function order(leg: string, input: LegInput): void {
    const live = legs.get(leg);
    if (live !== undefined) runner.send(live, input);
  }

  return {
    listen(listener) {
      listeners.notify = listener;
    },
    listenToKeys(listener) {
      listeners.press = listener;
    },
    listenToReports(listener) {
      listeners.report = listener;
    },
    listenToTransfers: (listener) => transfers.listen(listener),
    legOf: (dialog) => transfers.legOf(dialog),
    reportTransfer(leg, status) {
      const live = legs.get(leg);
      if (live !== undefined) callOf(live)?.reportReferral(status);
    },
    dial: (request) => dialFor(request, listeners.notify),
    ring: (leg) => order(leg, { type: 'ring' }),
    openEarly: (leg) => order(leg, { type: 'open-early' }),
    answer: (leg) => order(leg, { type: 'answer' }),
    hangUp: (leg, status = 603, completedElsewhere = false) =>
      order(leg, { type: 'hang-up', status, completedElsewhere }),
  };
}
