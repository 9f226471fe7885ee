import { compactLabel } from './header-names.ts';
import { createHeaders, MessageHeaders } from './headers.ts';
import type { ByteString, SipMessage, SipResponse } from './message.ts';

/** The wire text of a message; sets Content-Length to the length of the body. */
export function printMessage(message: SipMessage): ByteString {
  const start =
    message.kind === 'request'
      ? `${message.method} ${message.uri} SIP/2.0\r\n`
      : `SIP/2.0 ${message.status} ${message.reason}\r\n`;
  const { headers, body } = message;
  headers.set('Content-Length', String(body.length));
  const printable = headers instanceof MessageHeaders ? headers : asMessageHeaders(headers);
  return `${start}${printable.print()}\r\n${body}`;
}

/** A response without a body in few bytes: compact forms (RFC 3261 §7.3.3) and no reason phrase (§25.1). */
export function printBriefly(response: SipResponse): ByteString {
  let text = `SIP/2.0 ${response.status} \r\n`;
  for (const [label, value] of response.headers.entries()) {
    if (label !== 'Content-Length') text += `${compactLabel(label)}:${value}\r\n`;
  }
  return `${text}l:0\r\n\r\n`;
}

function asMessageHeaders(headers: SipMessage['headers']): MessageHeaders {
  return createHeaders(headers.entries()) as MessageHeaders;
}
