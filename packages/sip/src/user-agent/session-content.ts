import type { HeaderPairs } from '../dialog/answers.ts';
import { createHeaders } from '../message/headers.ts';
import type { ByteString, SipHeaders, SipRequest } from '../message/message.ts';
import { partsOf } from '../message/multipart.ts';
import { paramOf, parseParams } from '../message/params.ts';
import { trimSpace, unquote } from '../message/tokens.ts';

const SDP = 'application/sdp';

/** Requests whose body is an offer or answer, if they have one. */
const CARRY_SESSIONS = new Set(['INVITE', 'UPDATE', 'PRACK']);

/** 415 for a body that is no SDP, 406 where our SDP would not be accepted (RFC 3261 §8.2.3, RFC 4475 §3.3.6, §3.3.15). */
export function screenContent({
  method,
  headers,
  body,
}: SipRequest): { readonly status: number; readonly headers: HeaderPairs } | undefined {
  if (!CARRY_SESSIONS.has(method)) return undefined;
  if (body !== '') {
    const encodings = headers.all('Content-Encoding').filter((each) => each.toLowerCase() !== 'identity');
    if (encodings.length > 0) return { status: 415, headers: [['Accept-Encoding', 'identity']] };
    if (!isSdp(headers)) return { status: 415, headers: [['Accept', SDP]] };
  }
  // §20.1: without Accept, SDP is accepted; an empty one accepts nothing.
  if (method === 'PRACK' || !headers.has('Accept') || headers.all('Accept').some(includesSdp))
    return undefined;
  return {
    status: 406,
    headers: [['Warning', '399 sip "Sessions are described in application/sdp alone."']],
  };
}

/**
 * The request with the session description as its only body: the part of a multipart that is SDP (RFC 5621 §3.1), when the
 * others may be ignored; no body where `handling=optional` asks to ignore one that is not understood (RFC 3261 §20.11). A
 * request that needs neither is returned as it is.
 */
export function withSessionAlone(request: SipRequest): SipRequest {
  const { method, headers, body } = request;
  if (body === '' || !CARRY_SESSIONS.has(method) || isSdp(headers)) return request;
  const contentType = headers.get('Content-Type') ?? '';
  const session = mediaType(contentType).startsWith('multipart/') ? sessionIn(contentType, body) : undefined;
  if (session !== undefined) {
    const alone = createHeaders(headers.entries());
    alone.set('Content-Type', SDP);
    return { ...request, headers: alone, body: session };
  }
  return isOptional(headers) ? { ...request, body: '' } : request;
}

/** The SDP of a multipart; undefined when there is none, or a part that must be understood is not. */
function sessionIn(contentType: string, body: ByteString): ByteString | undefined {
  const boundary = unquote(parameter(contentType, 'boundary') ?? '');
  // RFC 5621 §3.1: of alternatives one is enough, and of related parts the root; of a mixture each has its own handling.
  const isMixed = mediaType(contentType) === 'multipart/mixed';
  let session: ByteString | undefined;
  for (const part of partsOf(body, boundary) ?? []) {
    // The line end in front of a boundary belongs to it, and the last line of a description is often left with that alone.
    if (part.headers.has('Content-Type') && isSdp(part.headers))
      session ??= part.body.endsWith('\n') ? part.body : `${part.body}\r\n`;
    else if (isMixed && !isOptional(part.headers)) return undefined;
  }
  return session;
}

/** A body without Content-Type, as old phones send it, is taken for what an INVITE carries. */
function isSdp(headers: SipHeaders): boolean {
  const contentType = headers.get('Content-Type');
  return contentType === undefined || mediaType(contentType) === SDP;
}

function isOptional(headers: SipHeaders): boolean {
  return parameter(headers.get('Content-Disposition') ?? '', 'handling')?.toLowerCase() === 'optional';
}

function includesSdp(range: string): boolean {
  const type = mediaType(range);
  return type === SDP || type === 'application/*' || type === '*/*';
}

function mediaType(value: string): string {
  const semicolon = value.indexOf(';');
  return trimSpace(semicolon < 0 ? value : value.slice(0, semicolon)).toLowerCase();
}

function parameter(value: string, name: string): string | undefined {
  const semicolon = value.indexOf(';');
  const params = semicolon < 0 ? undefined : parseParams(value, semicolon);
  return params && paramOf(params, name);
}
