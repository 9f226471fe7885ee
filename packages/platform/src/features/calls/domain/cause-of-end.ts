import { type CallEnd, callEnds, type HangupCode } from '@jackfield/ports';

/** The end of a leg in signalling; the shape of `LegEnd` in ports/telephony.ts. */
export interface SignalledEnd {
  readonly by:
    | 'remote-cancel'
    | 'remote-bye'
    | 'local'
    | 'rejected'
    | 'no-response'
    | 'no-target'
    | 'transport-failed'
    | 'media-failed'
    | 'dialog-lost'
    | 'not-carried';
  readonly sipStatus?: number;
  /** The carrier of the call. */
  readonly carrier?: string;
  /** Why no carrier carried it. */
  readonly refusal?: 'calls-per-second' | 'concurrent-calls' | 'spend-per-hour' | 'caller-id' | 'no-route';
}

/** Causes of refusals by caps of carriers and the like (docs/interface/calls.md#hangup-causes). */
const causeOfRefusal: Readonly<Record<NonNullable<SignalledEnd['refusal']>, HangupCode>> = {
  'calls-per-second': 1020,
  'concurrent-calls': 5030,
  'spend-per-hour': 1010,
  'caller-id': 3030,
  'no-route': 5020,
};

/** Final responses with a cause of their own (docs/interface/calls.md#hangup-causes); the rest go by their class. */
const causeOfStatus: Readonly<Record<number, HangupCode>> = {
  403: 3040,
  404: 3050,
  408: 3070,
  410: 3050,
  // RFC 5626 §5.3: an edge proxy has no connection to the phone any more, and no other flow is left.
  430: 2010,
  480: 2010,
  482: 2060,
  483: 2060,
  484: 2000,
  486: 3010,
  487: 1000,
  503: 3090,
  600: 3100,
  603: 3110,
  604: 3120,
};

/**
 * The cause for the record of a leg. `ordered` is the end that we ordered, if any: it holds when the leg ended by our order, and
 * yields when the other side was quicker.
 */
export function causeOfEnd(
  direction: 'inbound' | 'outbound',
  end: SignalledEnd,
  ordered: CallEnd | null,
): CallEnd {
  const remote = direction === 'outbound' ? 'Call recipient' : 'Caller';
  switch (end.by) {
    case 'local':
      return ordered ?? callEnds(4000, 'Service');
    case 'remote-bye':
      return callEnds(4000, remote);
    case 'remote-cancel':
      return callEnds(1000, 'Caller');
    case 'rejected':
      // RFC 3261 §15.1.2: 487 confirms our CANCEL, so this end is the ordered one.
      if (ordered !== null && end.sipStatus === 487) return ordered;
      return callEnds(causeOfRejection(end.sipStatus ?? 603), sourceOfRejection(end) ?? remote);
    case 'not-carried':
      return ordered ?? callEnds(causeOfRefusal[end.refusal ?? 'no-route'], 'Service');
    case 'no-target':
      return ordered ?? callEnds(2020, 'Service');
    case 'no-response':
      return ordered ?? callEnds(3070, 'Error');
    case 'transport-failed':
    case 'dialog-lost':
      return ordered ?? callEnds(5000, 'Error');
    case 'media-failed':
      return callEnds(5010, 'Error');
  }
}

/** The callee refuses with 4xx or 6xx; 5xx is a failure of the carrier itself, which refuses our credentials with 401 or 407. */
function sourceOfRejection({ carrier, sipStatus = 0 }: SignalledEnd): 'Carrier' | undefined {
  const isOwn = sipStatus === 401 || sipStatus === 407 || (sipStatus >= 500 && sipStatus < 600);
  return carrier !== undefined && isOwn ? 'Carrier' : undefined;
}

function causeOfRejection(status: number): HangupCode {
  const exact = causeOfStatus[status];
  if (exact !== undefined) return exact;
  if (status < 400) return 5020; // a redirection that we do not follow
  if (status < 500) return 3020;
  return status < 600 ? 3080 : 3110;
}

/** The final response that shows an unanswered caller why its call failed: the other direction of the table above. */
export function statusOfEnd(end: CallEnd): number {
  switch (end.code) {
    case 2000:
    case 3050:
    case 5020:
      return 404;
    case 2010:
    case 2020:
    case 3000:
    case 6010:
      return 480;
    // RFC 3261 §16.3: a loop until no hop was left.
    case 2060:
      return 483;
    case 3010:
      return 486;
    case 3020:
    case 3110:
      return 603;
    case 1010:
    case 3030:
    case 3040:
      return 403;
    case 3070:
      return 408;
    case 3100:
      return 600;
    case 3120:
      return 604;
    case 1020:
    case 3090:
    case 5030:
      return 503;
    case 1000:
    case 4000:
    case 4010:
    case 4020:
    case 4030:
    case 6000:
      return 480;
    default:
      return 500;
  }
}
