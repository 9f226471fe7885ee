import { createHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { printMessage } from '../message/print-message.ts';

/**
 * The printed ACK of a non-2xx final response (RFC 3261 §17.1.1.3): Request-URI, Call-ID, From, CSeq number and Route of the
 * INVITE, only its top Via, and the To of the response with its tag.
 */
export function ackFor(invite: SipRequest, response: SipResponse): string {
  const headers = sameTransaction(invite, 'ACK');
  headers.set('To', response.headers.get('To') ?? invite.headers.get('To') ?? '');
  return printMessage({ kind: 'request', method: 'ACK', uri: invite.uri, headers, body: '' });
}

/** The CANCEL of an INVITE (RFC 3261 §9.1): the same branch and Route, so that it follows the INVITE, and To without tag. */
export function cancelFor(invite: SipRequest): SipRequest {
  const headers = sameTransaction(invite, 'CANCEL');
  return { kind: 'request', method: 'CANCEL', uri: invite.uri, headers, body: '' };
}

function sameTransaction(invite: SipRequest, method: 'ACK' | 'CANCEL') {
  const { headers: from } = invite;
  const headers = createHeaders([['Via', from.get('Via') ?? '']]);
  for (const route of from.all('Route')) headers.append('Route', route);
  headers.append('Max-Forwards', '70');
  headers.append('From', from.get('From') ?? '');
  headers.append('To', from.get('To') ?? '');
  headers.append('Call-ID', from.get('Call-ID') ?? '');
  const cseq = from.get('CSeq') ?? '';
  headers.append('CSeq', `${cseq.slice(0, cseq.indexOf(' '))} ${method}`);
  // RFC 3261 §22.1: a server cannot challenge ACK or CANCEL, so they carry the credentials of their INVITE.
  for (const name of ['Authorization', 'Proxy-Authorization']) {
    for (const value of from.all(name)) headers.append(name, value);
  }
  return headers;
}
