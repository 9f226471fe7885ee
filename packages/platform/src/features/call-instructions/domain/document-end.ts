import type { CallEnd, HangupNames } from '../../calls/index.ts';

/** Why a document was requested: decides the cause of a failure. */
export type FetchReason = 'answer' | 'fallback' | 'action' | 'transfer' | 'redirect';

/** `unreachable`: no readable answer came in time; the others are the faults of `ReadDocument`. */
export type DocumentFault = 'unreachable' | 'url' | 'method' | 'xml';

/**
 * Names of docs/interface/calls.md#hangup-causes for ends by a document. A machine imports only types of another feature, so the
 * names are repeated here; the compiler holds them equal to those of the calls feature.
 */
const names = {
  2060: 'Loop Detected',
  3010: 'Busy Line',
  3020: 'Rejected',
  4000: 'Normal Hangup',
  4010: 'End Of XML Instructions',
  6000: 'Scheduled Hangup',
  7011: 'Error Reaching Answer URL',
  7012: 'Error Reaching Action URL',
  7013: 'Error Reaching Transfer URL',
  7014: 'Error Reaching Redirect URL',
  7022: 'Invalid Action URL',
  7023: 'Invalid Transfer URL',
  7024: 'Invalid Redirect URL',
  7032: 'Invalid Method For Action URL',
  7033: 'Invalid Method For Transfer URL',
  7034: 'Invalid Method For Redirect URL',
  8011: 'Invalid Answer XML',
  8012: 'Invalid Action XML',
  8013: 'Invalid Transfer XML',
  8014: 'Invalid Redirect XML',
} as const satisfies Partial<HangupNames>;

type DocumentEndCode = keyof typeof names;

export function documentEnds(code: DocumentEndCode, source: CallEnd['source'] = 'Answer XML'): CallEnd {
  return { code, name: names[code], source };
}

const causes: Readonly<Record<FetchReason, Readonly<Record<DocumentFault, DocumentEndCode>>>> = {
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
