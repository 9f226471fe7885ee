import type { SipRequest, SipResponse } from '../message/message.ts';
import { BRANCH_COOKIE, parseVia, type Via } from '../message/via.ts';

/**
 * Key of the server transaction that a request belongs to (RFC 3261 §17.2.3): branch, sent-by and method, where ACK means
 * the INVITE. Undefined for requests of RFC 2543 elements, whose branch lacks the magic cookie; they are not served.
 */
export function serverKey(via: Via, method: string): string | undefined {
  if (!via.branch?.startsWith(BRANCH_COOKIE)) return undefined;
  const of = method === 'ACK' ? 'INVITE' : method;
  return `${via.branch} ${via.host.toLowerCase()}:${via.port ?? ''} ${of}`;
}

/** Key of the INVITE server transaction that a CANCEL asks to end (RFC 3261 §9.2): all but the method are equal. */
export function cancelledKey(via: Via): string | undefined {
  return serverKey(via, 'INVITE');
}

/** Key of the client transaction that a response belongs to (RFC 3261 §17.1.3): the branch of the top Via and the CSeq method. */
export function clientKey(branch: string, method: string): string {
  return `${branch} ${method}`;
}

/** The client transaction key of a received response; undefined when its Via or CSeq cannot be read. */
export function responseKey(response: SipResponse): string | undefined {
  const top = response.headers.get('Via');
  const branch = top === undefined ? undefined : parseVia(top)?.branch;
  const cseq = response.headers.get('CSeq') ?? '';
  const method = cseq.slice(cseq.lastIndexOf(' ') + 1);
  return branch === undefined || method === '' ? undefined : clientKey(branch, method);
}

/**
 * What two copies of one request share that came over different paths (RFC 3261 §8.2.2.2): From tag, Call-ID and CSeq.
 * Undefined for a request within a dialog, which cannot be merged.
 */
export function mergeKey(request: SipRequest, fromTag: string, hasToTag: boolean): string | undefined {
  if (hasToTag) return undefined;
  const { headers } = request;
  return `${headers.get('Call-ID')} ${fromTag} ${headers.get('CSeq')}`;
}
