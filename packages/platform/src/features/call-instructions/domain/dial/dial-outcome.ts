import type { CallEnd, HangupNames } from '../../../calls/index.ts';

/** `DialStatus` of `action` (docs/interface/documents.md#dial). */
export type DialStatus = 'completed' | 'busy' | 'failed' | 'cancel' | 'timeout' | 'no-answer';

/** An end whose name is that of its code. */
type NamedEnd = {
  [Code in keyof HangupNames]: CallEnd & { readonly code: Code; readonly name: HangupNames[Code] };
}[keyof HangupNames];

/** Ends that a dial itself gives to its legs. */
export const dialEnds = {
  canceled: (source: CallEnd['source']): NamedEnd => ({ code: 1000, name: 'Canceled', source }),
  normal: (source: CallEnd['source']): NamedEnd => ({ code: 4000, name: 'Normal Hangup', source }),
  timeLimit: { code: 6000, name: 'Scheduled Hangup', source: 'Service' },
  ringTimeout: { code: 6010, name: 'Ring Timeout Reached', source: 'Service' },
  lostRace: { code: 9000, name: 'Lost Race', source: 'Service' },
  notConfirmed: { code: 9110, name: 'Confirm Key Challenge Failed', source: 'Service' },
} as const satisfies Readonly<Record<string, NamedEnd | ((source: CallEnd['source']) => NamedEnd)>>;

/** The status that a leg's failure means to the caller: that of a call with the same end. */
function statusOf(end: CallEnd): DialStatus {
  switch (end.code) {
    case 3010:
    case 3020:
    case 3100:
    case 3110:
      return 'busy';
    case 3070:
    case 6010:
      return 'timeout';
    // The phone answered without confirming: to the caller it did not answer.
    case 2010:
    case 3000:
    case 9110:
      return 'no-answer';
    default:
      return 'failed';
  }
}

/**
 * The status of a dial that connected no phone, and the end that decided. A phone that rang without an answer outweighs phones that failed
 * at once; busy only when all phones are.
 */
export function outcomeOfFailure(ends: readonly CallEnd[]): {
  readonly status: DialStatus;
  readonly end: CallEnd | null;
} {
  const deciding: readonly DialStatus[] = ['timeout', 'no-answer', 'failed', 'busy'];
  for (const status of deciding) {
    const end = ends.find((each) => statusOf(each) === status);
    if (end !== undefined) return { status, end };
  }
  return { status: 'failed', end: null };
}
