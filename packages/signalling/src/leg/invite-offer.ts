import { parseSdp, type SessionDescription } from '@jackfield/sdp';

/**
 * The description in an INVITE, parsed once for all that is asked of it before it is answered; '' where the INVITE has none and leaves the
 * offer to us, and its text where that is malformed.
 */
export type InviteOffer = string | SessionDescription;

export function readOffer(body: string): InviteOffer {
  const parsed = body === '' ? undefined : parseSdp(body);
  return parsed === undefined || 'problem' in parsed ? body : parsed.session;
}
