import type { SipRequest } from '../message/message.ts';
import { cancelFor } from '../transaction/ack.ts';

/** The CANCEL of an INVITE; RFC 3326 §2: a phone shows no missed call when it learns that another has answered. */
export function cancelWithReason(invite: SipRequest, completedElsewhere: boolean): SipRequest {
  const cancel = cancelFor(invite);
  if (completedElsewhere) cancel.headers.append('Reason', 'SIP;cause=200;text="Call completed elsewhere"');
  return cancel;
}
