import { type CallEnd, callEnds } from '@jackfield/ports';

/** `DialStatus` of `action` (docs/interface/documents.md#dial). */
export type DialStatus = 'completed' | 'busy' | 'failed' | 'cancel' | 'timeout' | 'no-answer';

/** Ends that a dial itself gives to its legs. */
export const dialEnds = {
  canceled: (source: CallEnd['source']) => callEnds(1000, source),
  normal: (source: CallEnd['source']) => callEnds(4000, source),
  timeLimit: callEnds(6000, 'Service'),
  ringTimeout: callEnds(6010, 'Service'),
  lostRace: callEnds(9000, 'Service'),
  notConfirmed: callEnds(9110, 'Service'),
} as const;

/** The status that a leg's failure means to the caller: that of an unanswered call with the same end (docs/reference/causes.md). */
function statusOf({ code, source }: CallEnd): DialStatus {
  switch (code) {
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
    case 1000:
    case 1010:
    case 1020:
      return 'cancel';
    case 4000:
      // Only a phone that has answered hangs up, here before it confirmed.
      return source === 'Call recipient' ? 'no-answer' : 'cancel';
    default:
      return 'failed';
  }
}

/**
 * The status of a dial that connected no phone, and the end that decided. A phone that rang without an answer outweighs phones that were
 * cancelled, and these outweigh phones that failed at once; busy only when all phones are.
 */
export function outcomeOfFailure(ends: readonly CallEnd[]): {
  readonly status: DialStatus;
  readonly end: CallEnd | null;
} {
  const deciding: readonly DialStatus[] = ['timeout', 'no-answer', 'cancel', 'failed', 'busy'];
  for (const status of deciding) {
    const end = ends.find((each) => statusOf(each) === status);
    if (end !== undefined) return { status, end };
  }
  return { status: 'failed', end: null };
}
