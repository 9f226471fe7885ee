import { MessageHeaders } from './headers.ts';
import type { ByteString, SipRequest } from './message.ts';
import { isToken } from './tokens.ts';

/** Fields of a request (RFC 3261 §8.1.1); values are header values as text. */
export interface RequestFields {
  readonly method: string;
  readonly uri: string;
  readonly via?: string;
  readonly from: string;
  readonly to: string;
  readonly callId: string;
  readonly cseq: number;
  /** Max-Forwards; the default is 70. */
  readonly maxForwards?: number;
  readonly routes?: readonly string[];
  readonly contact?: string;
  readonly headers?: Iterable<readonly [name: string, value: string]>;
  /** Comes with a Content-Type among `headers` or `contentType`. */
  readonly body?: ByteString;
  readonly contentType?: string;
}

/** Builds a request. Throws a TypeError for a method or URI that would break the request line. */
export function createRequest(fields: RequestFields): SipRequest {
  if (!isToken(fields.method)) throw new TypeError(`method "${fields.method}" is not a token`);
  if (!/^[\x21-\x7e\x80-\xff]+$/.test(fields.uri))
    throw new TypeError(`uri "${fields.uri}" holds a space, a control character, or nothing`);
  const headers = new MessageHeaders();
  if (fields.via !== undefined) headers.append('Via', fields.via);
  for (const route of fields.routes ?? []) headers.append('Route', route);
  headers.append('Max-Forwards', String(fields.maxForwards ?? 70));
  headers.append('From', fields.from);
  headers.append('To', fields.to);
  headers.append('Call-ID', fields.callId);
  headers.append('CSeq', `${fields.cseq} ${fields.method}`);
  if (fields.contact !== undefined) headers.append('Contact', fields.contact);
  for (const [name, value] of fields.headers ?? []) headers.append(name, value);
  if (fields.contentType !== undefined) headers.set('Content-Type', fields.contentType);
  return { kind: 'request', method: fields.method, uri: fields.uri, headers, body: fields.body ?? '' };
}
