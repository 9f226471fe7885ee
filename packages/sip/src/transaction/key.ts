import { parseCSeq } from '../message/cseq.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { tagOf } from '../message/name-addr.ts';
import { BRANCH_COOKIE, parseVia, type Via } from '../message/via.ts';

/** Whether a top Via names its transaction: the cookie alone, which RFC 4475 §3.2.1 sends, names nothing. */
export function hasTransactionId({ branch }: Via): boolean {
  return branch?.startsWith(BRANCH_COOKIE) === true && branch.length > BRANCH_COOKIE.length;
}

/**
 * Key of the server transaction that a request belongs to (RFC 3261 §17.2.3): branch, sent-by and method, where ACK means
 * the INVITE. Requests of RFC 2543 elements are known by `request`, as it came; without it they have no key.
 */
export function serverKey(via: Via, method: string, request?: SipRequest): string | undefined {
  const of = method === 'ACK' ? 'INVITE' : method;
  if (!hasTransactionId(via)) return request && oldServerKey(request, of);
  return `${via.branch} ${via.host.toLowerCase()}:${via.port ?? ''} ${of}`;
}

/** Key of the INVITE server transaction that a CANCEL asks to end (RFC 3261 §9.2): all but the method are equal. */
export function cancelledKey(via: Via, request?: SipRequest): string | undefined {
  return serverKey(via, 'INVITE', request);
}

/**
 * §17.2.3: without a branch the Request-URI, From tag, Call-ID, number of CSeq and whole top Via decide. The To tag is left
 * out, because the ACK of a refusal brings the one of our response, which its INVITE had not.
 */
function oldServerKey({ uri, headers }: SipRequest, of: string): string {
  const seq = parseCSeq(headers.get('CSeq') ?? '')?.seq;
  const fromTag = tagOf(headers.get('From') ?? '') ?? '';
  return `2543 ${of} ${seq} ${headers.get('Call-ID')} ${fromTag} ${headers.get('Via')} ${uri}`;
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
