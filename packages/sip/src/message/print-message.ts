import { createHeaders, MessageHeaders } from './headers.ts';
import type { ByteString, SipMessage } from './message.ts';

/** The message as it goes onto the wire; Content-Length is always that of the body, whatever the headers say. */
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

function asMessageHeaders(headers: SipMessage['headers']): MessageHeaders {
  return createHeaders(headers.entries()) as MessageHeaders;
}
