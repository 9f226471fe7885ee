import type { HeaderPairs } from '../dialog/answers.ts';
import { parseCSeq } from '../message/cseq.ts';
import { createHeaders } from '../message/headers.ts';
import type { ByteString, SipHeaders, SipMessage, SipRequest } from '../message/message.ts';
import { partsOf } from '../message/multipart.ts';
import { paramOf, parseParams } from '../message/params.ts';
import { trimSpace, unquote } from '../message/tokens.ts';

const SDP = 'application/sdp';

/** Requests whose body, if any, is an offer or answer. */
const CARRY_SESSIONS = new Set(['INVITE', 'UPDATE', 'PRACK']);

/** 415 for a body other than SDP, 406 if the sender does not accept SDP (RFC 3261 §8.2.3, RFC 4475 §3.3.6, §3.3.15). */
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
 * The message with the session description as its only body: the SDP part of a multipart (RFC 5621 §3.1) if the others are
 * optional; no body if `handling=optional` marks an unknown one (RFC 3261 §20.11). Any other message is returned unchanged.
 * A response or ACK cannot be refused, so its unknown bodies are ignored.
 */
export function withSessionAlone<Message extends SipMessage>(message: Message): Message {
  const { headers, body } = message;
  if (body === '' || isSdp(headers)) return message;
  const method = parseCSeq(headers.get('CSeq') ?? '')?.method ?? '';
  const isAck = method === 'ACK';
  if (!isAck && !CARRY_SESSIONS.has(method)) return message;
  const isRefusable = message.kind === 'request' && !isAck;
  const contentType = headers.get('Content-Type') ?? '';
  const isMultipart = mediaType(contentType).startsWith('multipart/');
  const session = isMultipart ? sessionIn(contentType, body, isRefusable) : undefined;
  if (session !== undefined) {
    const alone = createHeaders(headers.entries());
    alone.set('Content-Type', SDP);
    return { ...message, headers: alone, body: session };
  }
  return !isRefusable || isOptional(headers) ? { ...message, body: '' } : message;
}

/** The SDP of a multipart; undefined when there is none, or a required part is unknown and the message can be refused. */
function sessionIn(contentType: string, body: ByteString, isRefusable: boolean): ByteString | undefined {
  const boundary = unquote(parameter(contentType, 'boundary') ?? '');
  // RFC 5621 §3.1: one of alternative parts is enough, the root of related ones; mixed parts each have their own handling.
  const isMixed = mediaType(contentType) === 'multipart/mixed';
  let session: ByteString | undefined;
  for (const part of partsOf(body, boundary) ?? []) {
    // The line end before a boundary belongs to the boundary, and descriptions often end with that one only.
    if (part.headers.has('Content-Type') && isSdp(part.headers))
      session ??= part.body.endsWith('\n') ? part.body : `${part.body}\r\n`;
    else if (isRefusable && isMixed && !isOptional(part.headers)) return undefined;
  }
  return session;
}

/** A body without Content-Type, as old phones send it, counts as SDP. */
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
