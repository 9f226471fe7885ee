import { CALL_ID, CSEQ, FROM, SINGLE, TO, VIA } from './header-names.ts';
import { createHeaders, MessageHeaders } from './headers.ts';
import type { ByteString, SipRequest, SipResponse } from './message.ts';

/** Fields of a response beyond those that it copies from its request. */
export interface ResponseFields {
  /** Added to a To without a tag; RFC 3261 §8.2.6.2 requires it above 100. */
  readonly toTag?: string;
  readonly headers?: Iterable<readonly [name: string, value: string]>;
  readonly body?: ByteString;
  readonly contentType?: string;
}

// RFC 3261 §12.1.1, RFC 6665 §4.1.2: the response to the first request of a dialog copies Record-Route, its route set.
const DIALOG_FORMING = new Set(['INVITE', 'SUBSCRIBE', 'REFER', 'NOTIFY']);

/** Builds a response with this reason phrase by RFC 3261 §8.2.6: all Via, From, To (with `toTag`), Call-ID and CSeq are the request's. */
export function buildResponse(
  request: SipRequest,
  status: number,
  reason: string,
  fields: ResponseFields = {},
): SipResponse {
  const headers = new MessageHeaders();
  const source = messageHeaders(request);
  headers.copy(source, VIA | FROM | TO | CALL_ID | CSEQ, SINGLE);
  if (fields.toTag !== undefined) addToTag(headers, source, fields.toTag);
  if (status > 100 && status < 300 && DIALOG_FORMING.has(request.method)) {
    for (const route of source.all('Record-Route')) headers.append('Record-Route', route);
  }
  // RFC 3261 §8.2.6.1: a Timestamp is copied into 100 Trying.
  const timestamp = status === 100 ? source.get('Timestamp') : undefined;
  if (timestamp !== undefined) headers.append('Timestamp', timestamp);
  for (const [name, value] of fields.headers ?? []) headers.append(name, value);
  if (fields.contentType !== undefined) headers.set('Content-Type', fields.contentType);
  return { kind: 'response', status, reason: onOneLine(reason), headers, body: fields.body ?? '' };
}

function addToTag(headers: MessageHeaders, source: MessageHeaders, tag: string): void {
  const to = headers.get('To');
  if (to === undefined) return;
  const address = source.address('To');
  // A malformed To is returned with the tag appended, so that the sender can still match the response.
  if (address?.tag === undefined) headers.set('To', `${to};tag=${tag}`);
}

function onOneLine(reason: string): string {
  return reason.replace(/[^\x20-\xff]+/g, ' ');
}

function messageHeaders(request: SipRequest): MessageHeaders {
  const { headers } = request;
  return headers instanceof MessageHeaders ? headers : (createHeaders(headers.entries()) as MessageHeaders);
}
