import type { EndReason } from '@jackfield/sip/phone';
import type { CallEnd } from './call-state.ts';

/** The end of a dialog in the words of a call. */
export function callEndOf(reason: EndReason): CallEnd {
  switch (reason.by) {
    case 'local':
      return { by: 'local' };
    case 'remote-bye':
      return { by: 'remote' };
    case 'remote-cancel':
    case 'no-response':
      return { by: 'cancelled' };
    case 'rejected':
      return { by: 'rejected', status: reason.status, reason: reason.reason };
    default:
      return { by: 'connection-lost', reason: reason.by };
  }
}
