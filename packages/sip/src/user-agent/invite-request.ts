import { CAPABILITIES, type HeaderPairs } from '../dialog/answers.ts';
import { firstTermsHeaders, type SessionInterval } from '../dialog/session-timer.ts';
import { createRequest } from '../message/create-request.ts';
import { parseCSeq } from '../message/cseq.ts';
import { createHeaders } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';
import type { InviteOptions, InviteTarget } from './invite-options.ts';

/** The INVITE to one target of a call; sending sets Via, branch and Contact. */
export function inviteFor(
  options: InviteOptions,
  { uri, path = [] }: InviteTarget,
  { callId, localTag }: { readonly callId: string; readonly localTag: string },
  sessionInterval: SessionInterval,
): SipRequest {
  const terms = firstTermsHeaders(sessionInterval);
  const headers: HeaderPairs = [...CAPABILITIES, ...terms, ...(options.headers ?? [])];
  return createRequest({
    method: 'INVITE',
    uri,
    from: `${options.from};tag=${localTag}`,
    to: options.to,
    callId,
    cseq: 1,
    routes: [...(options.routes ?? []), ...path],
    ...(options.maxForwards !== undefined && { maxForwards: options.maxForwards }),
    headers,
    ...options.content,
  });
}

/** The same request with the CSeq one higher and these credentials in place of its own (RFC 3261 §22.2). */
export function authorizedInvite(invite: SipRequest, credentials: HeaderPairs): SipRequest {
  const again = retriedInvite(invite);
  for (const [name, value] of credentials) again.headers.append(name, value);
  return { ...again, answered: (invite.answered ?? 0) + 1 };
}

/** The same request with the CSeq one higher, these headers in place of its own, and without credentials. */
export function correctedInvite(invite: SipRequest, headers: HeaderPairs): SipRequest {
  const again = retriedInvite(invite);
  for (const [name, value] of headers) again.headers.set(name, value);
  return again;
}

/** The same request with the CSeq one higher, and without credentials. */
function retriedInvite(invite: SipRequest): SipRequest {
  const headers = createHeaders(invite.headers.entries());
  const cseq = parseCSeq(headers.get('CSeq') ?? '')?.seq ?? 0;
  headers.set('CSeq', `${cseq + 1} INVITE`);
  for (const name of ['Authorization', 'Proxy-Authorization']) headers.remove(name);
  return { ...invite, headers };
}
