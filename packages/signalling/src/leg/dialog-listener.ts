import type { LegKey, LegReport, Logger } from '@jackfield/ports';
import { type CallListener, decodeUtf8, keyOfInfo, type SipRequest } from '@jackfield/sip';
import { legEndOf } from './leg-end.ts';
import type { LegInput } from './leg-state.ts';
import { callOf, type LiveLeg } from './live-leg.ts';
import type { Transfers } from './transfers.ts';

export interface DialogListenersDeps {
  readonly log: Logger;
  readonly transfers: Transfers;
  /** Reports keys that phones send as SIP INFO. */
  readonly press: (key: LegKey) => void;
  /** Passes on a report about the quality of a call. */
  readonly report: (report: LegReport) => void;
  readonly send: (live: LiveLeg, input: LegInput) => void;
}

/** Turns the events of a leg's dialog into inputs of its machine. */
export function createDialogListeners(deps: DialogListenersDeps): (live: LiveLeg) => CallListener {
  const { log, transfers, press, report, send } = deps;
  return (live) => ({
    ringing: (response) => send(live, { type: 'provisional', response }),
    answered: (response) => send(live, { type: 'accepted-by-peer', response }),
    acknowledged: (answer) => send(live, { type: 'acknowledged', answer }),
    offered: (request) => send(live, { type: 'session-offered', request }),
    offerAnswered: (response) => send(live, { type: 'session-answered', response }),
    info(request) {
      const key = keyOfInfo(request);
      if (key !== undefined) press({ leg: live.leg, ...key });
      else if (isReport(request)) report({ leg: live.leg, body: decodeUtf8(request.body) });
    },
    referred(request) {
      const call = callOf(live);
      if (call === undefined) return;
      transfers.referred(live.leg, call, request).catch((error: unknown) => {
        log.error({ leg: live.leg, err: error }, 'REFER could not be answered');
        call.refuseReferral(500);
      });
    },
    ended(reason) {
      const refusal = reason.by === 'rejected' ? { status: reason.status } : {};
      send(live, { type: 'dialog-ended', end: legEndOf(reason), ...refusal });
    },
  });
}

/** A report of a phone in a page (docs/interface/calls.md#quality-at-the-page). */
const reportType = /^application\/vnd\.jackfield\.call-quality\+json[ \t]*(?:;|$)/i;
/** Characters of a report of 60 samples. */
const longestReport = 16_384;

function isReport({ headers, body }: SipRequest): boolean {
  return body.length <= longestReport && reportType.test(headers.get('Content-Type') ?? '');
}
