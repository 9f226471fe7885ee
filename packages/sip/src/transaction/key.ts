import { parseCSeq } from '../message/cseq.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { BRANCH_COOKIE, parseVia, type Via } from '../message/via.ts';

/** Whether a top Via identifies its transaction; the cookie alone (RFC 4475 §3.2.1) does not. */
export function hasTransactionId({ branch }: Via): boolean {
  return branch?.startsWith(BRANCH_COOKIE) === true && branch.length > BRANCH_COOKIE.length;
}

/**
 * Key of the server transaction of a request (RFC 3261 §17.2.3): branch, sent-by and method, with ACK as INVITE. A request of an
 * RFC 2543 element needs `request`, as received; without it there is no key.
 */
export function serverKey(via: Via, method: string, request?: SipRequest): string | undefined {
  const of = method === 'ACK' ? 'INVITE' : method;
  if (!hasTransactionId(via)) return request && oldServerKey(request, of);
  return `${via.branch} ${via.host.toLowerCase()}:${via.port ?? ''} ${of}`;
}

/** Key of the INVITE server transaction of a CANCEL (RFC 3261 §9.2): all but the method are equal. */
export function cancelledKey(via: Via, request?: SipRequest): string | undefined {
  return serverKey(via, 'INVITE', request);
}

/**
 * §17.2.3: without a branch the Request-URI, From tag, Call-ID, CSeq number and whole top Via decide. The To tag does not: the
 * ACK of a refusal carries that of our response, and its INVITE has none.
 */
function oldServerKey({ uri, headers }: SipRequest, of: string): string {
  const seq = parseCSeq(headers.get('CSeq') ?? '')?.seq;
  const fromTag = headers.address('From')?.tag ?? '';
  return `2543 ${of} ${seq} ${headers.get('Call-ID')} ${fromTag} ${headers.get('Via')} ${uri}`;
}

/** Key of the client transaction of a response (RFC 3261 §17.1.3): the branch of the top Via and the CSeq method. */
export function clientKey(branch: string, method: string): string {
  return `${branch} ${method}`;
}

/** The client transaction key of a received response; undefined when its Via or CSeq is malformed. */
export function responseKey(response: SipResponse): string | undefined {
  const top = response.headers.get('Via');
  const branch = top === undefined ? undefined : parseVia(top)?.branch;
  const cseq = response.headers.get('CSeq') ?? '';
  const method = cseq.slice(cseq.lastIndexOf(' ') + 1);
  return branch === undefined || method === '' ? undefined : clientKey(branch, method);
}

/**
 * Equal for two copies of one request over different paths (RFC 3261 §8.2.2.2): From tag, Call-ID and CSeq. Undefined for a
 * request within a dialog, which cannot be merged.
 */
export function mergeKey(request: SipRequest, fromTag: string, hasToTag: boolean): string | undefined {
  if (hasToTag) return undefined;
  const { headers } = request;
  return `${headers.get('Call-ID')} ${fromTag} ${headers.get('CSeq')}`;
}
