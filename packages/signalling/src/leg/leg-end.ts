import type { LegEnd } from '@jackfield/ports';
import type { EndReason } from '@jackfield/sip';

/** The end of a SIP leg in the words of the telephony port. */
export function legEndOf(reason: EndReason): LegEnd {
  switch (reason.by) {
    case 'rejected':
      return { by: 'rejected', sipStatus: reason.status, sipReason: reason.reason };
    case 'no-ack':
    case 'session-expired':
      return { by: 'dialog-lost' };
    default:
      return { by: reason.by };
  }
}
