/** Why a leg of a dial ended and who ended it: the shape of `CallEnd` of the calls feature (conventions.md §13). */
export interface DialLegEnd {
  readonly code: number;
  readonly name: string;
  readonly source:
    | 'Caller'
    | 'Call recipient'
    | 'Service'
    | 'Carrier'
    | 'API Request'
    | 'Answer XML'
    | 'Error'
    | 'Unknown';
}

/** What `action` reads (conventions.md §12.3). */
export type DialStatus = 'completed' | 'busy' | 'failed' | 'cancel' | 'timeout' | 'no-answer';

/** Ends that a dial itself gives to its legs. */
export const dialEnds = {
  canceled: (source: DialLegEnd['source']): DialLegEnd => ({ code: 1000, name: 'Canceled', source }),
  normal: (source: DialLegEnd['source']): DialLegEnd => ({ code: 4000, name: 'Normal Hangup', source }),
  timeLimit: { code: 6000, name: 'Scheduled Hangup', source: 'Service' },
  ringTimeout: { code: 6010, name: 'Ring Timeout Reached', source: 'Service' },
  lostRace: { code: 9000, name: 'Lost Race', source: 'Service' },
  notConfirmed: { code: 9110, name: 'Confirm Key Challenge Failed', source: 'Service' },
} as const;

/** What one leg's failure means to the caller: the same as the status of a call with that end. */
function statusOf(end: DialLegEnd): DialStatus {
  switch (end.code) {
    case 3010:
    case 3020:
    case 3100:
    case 3110:
      return 'busy';
    case 3070:
    case 6010:
      return 'timeout';
    // The phone was picked up and nobody said yes: to the caller it is nobody's answer.
    case 2010:
    case 3000:
    case 9110:
      return 'no-answer';
    default:
      return 'failed';
  }
}

/**
 * Of a dial that connected nobody, and the end that decided. A phone that was waited for in vain outweighs others that were
 * lost at once; busy only when all are.
 */
export function outcomeOfFailure(ends: readonly DialLegEnd[]): {
  readonly status: DialStatus;
  readonly end: DialLegEnd | null;
} {
  const deciding: readonly DialStatus[] = ['timeout', 'no-answer', 'failed', 'busy'];
  for (const status of deciding) {
    const end = ends.find((each) => statusOf(each) === status);
    if (end !== undefined) return { status, end };
  }
  return { status: 'failed', end: null };
}
