import { type CallEnd, callEnds, type HangupCode, type HangupSource } from '@jackfield/ports';

/** Why a document was requested: decides the cause of a failure. */
export type FetchReason = 'answer' | 'fallback' | 'action' | 'transfer' | 'redirect';

/** `unreachable`: no readable answer came in time; the others are the faults of `ReadDocument`. */
export type DocumentFault = 'unreachable' | 'url' | 'method' | 'xml';

export function documentEnds(code: HangupCode, source: HangupSource = 'Answer XML'): CallEnd {
  return callEnds(code, source);
}

const causes: Readonly<Record<FetchReason, Readonly<Record<DocumentFault, HangupCode>>>> = {
  // docs/interface/calls.md#hangup-causes has no 7021 and no 7031: a wrong URL in the first document counts as that of an action.
  answer: { unreachable: 7011, url: 7022, method: 7032, xml: 8011 },
  fallback: { unreachable: 7011, url: 7022, method: 7032, xml: 8011 },
  action: { unreachable: 7012, url: 7022, method: 7032, xml: 8012 },
  transfer: { unreachable: 7013, url: 7023, method: 7033, xml: 8013 },
  redirect: { unreachable: 7014, url: 7024, method: 7034, xml: 8014 },
};

/** The end of a call whose document cannot be run. */
export function endOfFault(reason: FetchReason, fault: DocumentFault): CallEnd {
  return documentEnds(causes[reason][fault], 'Error');
}
