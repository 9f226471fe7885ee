import type { LegEnd } from '@jackfield/ports';
import type { EndReason, SipResponse } from '@jackfield/sip';

/** The end of a SIP leg in the words of the telephony port. */
export function legEndOf(reason: EndReason): LegEnd {
  switch (reason.by) {
    case 'rejected':
      return {
        by: 'rejected',
        sipStatus: reason.status,
        sipReason: reason.reason,
        ...retryAfterIn(reason.response),
      };
    case 'no-ack':
    case 'session-expired':
      return { by: 'dialog-lost' };
    default:
      return { by: reason.by };
  }
}

/** RFC 3261 §21.5.4: only a 503 speaks of the server, and without a Retry-After it is as a 500. */
function retryAfterIn({ status, headers }: SipResponse): Pick<LegEnd, 'retryAfterSeconds'> {
  if (status !== 503) return {};
  // RFC 3261 §20.33: a comment or parameters may follow.
  const [seconds] = /^[0-9]+/.exec(headers.get('Retry-After') ?? '') ?? [];
  return seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) };
}
