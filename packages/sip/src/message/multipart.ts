import { createHeaders } from './headers.ts';
import type { ByteString, SipHeaders } from './message.ts';
import { trimSpace } from './tokens.ts';

/** One part of a multipart body. */
export interface BodyPart {
  readonly headers: SipHeaders;
  readonly body: ByteString;
}

/** The most parts of one body. */
const MOST_PARTS = 16;

/**
 * The parts of a multipart body between lines of `--boundary` (RFC 2046 §5.1.1), each with its header fields; undefined when
 * the boundary is invalid, `--boundary--` is missing, or there are more than 16 parts. A nested multipart is one part.
 */
export function partsOf(body: ByteString, boundary: string): readonly BodyPart[] | undefined {
  if (boundary === '' || boundary.length > 70) return undefined;
  const line = `\r\n--${boundary}`;
  const whole = `\r\n${body}`;
  const parts: BodyPart[] = [];
  for (let at = whole.indexOf(line); at >= 0; ) {
    const start = at + line.length;
    if (whole.startsWith('--', start)) return parts;
    const next = whole.indexOf(line, start);
    const lineEnd = whole.indexOf('\r\n', start);
    if (next < 0 || lineEnd < 0 || parts.length >= MOST_PARTS) return undefined;
    // A boundary line may end in spaces; a part without header fields begins with an empty line.
    if (trimSpace(whole.slice(start, lineEnd)) !== '') return undefined;
    parts.push(partIn(whole.slice(lineEnd, next)));
    at = next;
  }
  return undefined;
}

function partIn(text: string): BodyPart {
  // In a part without a body the empty line after the header fields belongs to the boundary.
  const end = `${text}\r\n`.indexOf('\r\n\r\n');
  const head = end < 0 ? '' : text.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const headers = createHeaders();
  for (const field of head.split('\r\n')) {
    const colon = field.indexOf(':');
    if (colon > 0) headers.append(trimSpace(field.slice(0, colon)), trimSpace(field.slice(colon + 1)));
  }
  return { headers, body: end < 0 ? text.slice(2) : text.slice(end + 4) };
}
