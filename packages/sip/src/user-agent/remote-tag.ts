import type { SipRequest } from '../message/message.ts';

/** The tag of the peer in its request: the From tag, empty for an RFC 2543 element that sends none (RFC 3261 §12.1.1). */
export function remoteTagOf(request: SipRequest): string {
  return request.headers.address('From')?.tag ?? '';
}
