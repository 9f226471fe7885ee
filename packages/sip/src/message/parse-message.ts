import { parseCSeq } from './cseq.ts';
import {
  CALL_ID,
  CONTENT_LENGTH,
  CSEQ,
  FROM,
  headerName,
  MANDATORY,
  MAX_FORWARDS,
  SINGLE,
  TO,
  VIA,
} from './header-names.ts';
import { MessageHeaders } from './headers.ts';
import type { ByteString, SipMessage, SipRequest } from './message.ts';
import { parseStartLine, type StartLine } from './start-line.ts';
import { isToken, parseDigits, trimSpace } from './tokens.ts';

/** Bounds of the parser; beyond them the message is a problem, and its rest is not parsed. */
export interface ParseLimits {
  /** Characters of the whole message, 65,535 (the largest UDP datagram). */
  readonly messageSize: number;
  /** Header fields, 200. */
  readonly headerCount: number;
  /** Characters of one header field with its continuation lines, and of the start line, 8,192. */
  readonly lineLength: number;
}

/** Why a text is not acceptable as a message. */
export interface ParseProblem {
  /** The status of RFC 3261: 400, 413 (body too large), 414 (Request-URI too long), 505 (version), 513 (too large). */
  readonly status: number;
  /** The fault, as a sentence for a reason phrase or a log. */
  readonly sentence: string;
  /**
   * The readable part of a request with a Via, for an answer. Undefined for responses, ACK and noise, which are dropped
   * without an answer.
   */
  readonly request: SipRequest | undefined;
}

/** The parsed message, or its fault. */
export type ParseOutcome =
  | { readonly message: SipMessage; readonly problem?: undefined }
  | { readonly problem: ParseProblem; readonly message?: undefined };

/** Default limits. */
export const DEFAULT_PARSE_LIMITS: ParseLimits = { messageSize: 65_535, headerCount: 200, lineLength: 8_192 };

/** Parses one SIP message: a datagram, or a frame of a stream. Never throws; one pass over the text. */
export function parseMessage(text: ByteString, limits: ParseLimits = DEFAULT_PARSE_LIMITS): ParseOutcome {
  let begin = 0;
  // RFC 3261 §7.5: empty lines before the start line are ignored.
  while (text.charCodeAt(begin) === 0x0d && text.charCodeAt(begin + 1) === 0x0a) begin += 2;
  const lineEnd = text.indexOf('\r\n', begin);
  if (lineEnd < 0) return unreadable('The message has no line that ends with CRLF.');
  const start = parseStartLine(text.slice(begin, lineEnd), limits.lineLength);
  if (start === undefined)
    return unreadable('The first line is neither a SIP request line nor a status line.');
  const scan = scanHeaders(text, lineEnd + 2, limits);
  // Reports the first fault only: later ones are often its consequences.
  if (text.length > limits.messageSize) {
    return problemOf(
      start,
      scan,
      513,
      `The message has ${text.length} bytes, more than ${limits.messageSize}.`,
    );
  }
  if (start.problem !== undefined) return problemOf(start, scan, start.status, start.problem);
  const fault = scan.problem ?? mandatoryProblem(scan, start);
  if (fault !== undefined) return problemOf(start, scan, 400, fault);
  const present = text.length - scan.bodyStart;
  if (scan.contentLength > present) {
    // 413 for a body above the limit: the stream framer does not wait for it either.
    const status = scan.contentLength > limits.messageSize ? 413 : 400;
    const sentence = `Content-Length is ${scan.contentLength}, but ${present} bytes follow the header.`;
    return problemOf(start, scan, status, sentence);
  }
  // RFC 3261 §18.3: bytes beyond the Content-Length are discarded.
  const bodyEnd = scan.contentLength < 0 ? text.length : scan.bodyStart + scan.contentLength;
  const body = text.slice(scan.bodyStart, bodyEnd);
  const { headers } = scan;
  return start.kind === 'request'
    ? { message: { kind: 'request', method: start.method, uri: start.uri, headers, body } }
    : { message: { kind: 'response', status: start.status, reason: start.reason, headers, body } };
}

interface HeaderScan {
  readonly headers: MessageHeaders;
  bodyStart: number;
  /** Bits of the counted fields so far. */
  seen: number;
  cseq: string;
  /** -1 when absent: the body is then the rest of the datagram. */
  contentLength: number;
  problem: string | undefined;
}

function scanHeaders(text: string, start: number, limits: ParseLimits): HeaderScan {
  const scan: HeaderScan = {
    headers: new MessageHeaders(),
    bodyStart: text.length,
    seen: 0,
    cseq: '',
    contentLength: -1,
    problem: undefined,
  };
  const end = Math.min(text.length, limits.messageSize);
  let position = start;
  let colon = -1;
  for (let count = 0; ; count += 1) {
    let lineEnd = text.indexOf('\r', position);
    if (lineEnd === position && text.charCodeAt(position + 1) === 0x0a) {
      scan.bodyStart = position + 2;
      return scan;
    }
    let next = lineFeedAfter(text, position, lineEnd);
    // RFC 3261 §7.3.1: a line that starts with a space or tab continues the previous field.
    let isFolded = false;
    while (next > 0 && isSpace(text.charCodeAt(next))) {
      isFolded = true;
      lineEnd = text.indexOf('\r', next);
      next = lineFeedAfter(text, next, lineEnd);
    }
    if (next < 0 || lineEnd >= end) {
      scan.problem ??= 'The header section does not end with an empty line, or has a bare CR or LF.';
      return scan;
    }
    if (count >= limits.headerCount) {
      scan.problem ??= `The message has more than ${limits.headerCount} header fields.`;
      return scan;
    }
    // A colon beyond this line is kept for the next ones, so that lines without a colon need no second search.
    if (colon < position && colon !== NOWHERE) colon = orNowhere(text.indexOf(':', position));
    if (lineEnd - position > limits.lineLength) {
      scan.problem ??= `A header field is longer than ${limits.lineLength} bytes.`;
    } else if (colon >= lineEnd) {
      scan.problem ??= 'A header line has no colon.';
    } else {
      readField(scan, text, position, colon, lineEnd, isFolded);
    }
    position = next;
  }
}

const NOWHERE = Number.MAX_SAFE_INTEGER;

function orNowhere(index: number): number {
  return index < 0 ? NOWHERE : index;
}

/**
 * The start of the next line, or -1 when this one does not end in CRLF. A bare CR or LF is refused: it would split its value
 * into two lines when printed again.
 */
function lineFeedAfter(text: string, position: number, carriageReturn: number): number {
  if (carriageReturn < 0) return -1;
  return text.indexOf('\n', position) === carriageReturn + 1 ? carriageReturn + 2 : -1;
}

function readField(
  scan: HeaderScan,
  text: string,
  start: number,
  colon: number,
  lineEnd: number,
  isFolded: boolean,
): void {
  let nameEnd = colon;
  while (nameEnd > start && isSpace(text.charCodeAt(nameEnd - 1))) nameEnd -= 1;
  const name = headerName(text.slice(start, nameEnd));
  let from = colon + 1;
  let to = lineEnd;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  // Unfold before trimming: a value may end in a continuation line of spaces.
  const value = isFolded ? trimSpace(unfold(text.slice(colon + 1, lineEnd))) : text.slice(from, to);
  const { bit } = name;
  if (bit === 0) {
    if (!name.isList && !isToken(name.label)) {
      scan.problem ??= 'A header name is not a token.';
      return;
    }
  } else {
    if ((bit & scan.seen & SINGLE) !== 0) {
      scan.problem ??= `The header ${name.label} appears more than once.`;
      return;
    }
    scan.seen |= bit;
    readCounted(scan, bit, value);
  }
  scan.headers.add(name, value);
}

function readCounted(scan: HeaderScan, bit: number, value: string): void {
  if (bit === CSEQ) scan.cseq = value;
  else if (bit === CONTENT_LENGTH) {
    const length = parseDigits(value, NOWHERE);
    if (length === undefined) scan.problem ??= 'Content-Length is not a number.';
    else scan.contentLength = length;
  } else if (bit === MAX_FORWARDS && parseDigits(value, 255) === undefined) {
    scan.problem ??= 'Max-Forwards is not a number from 0 to 255.';
  } else if ((bit === VIA || bit === CALL_ID) && value === '') {
    scan.problem ??= `The header ${bit === VIA ? 'Via' : 'Call-ID'} is empty.`;
  }
}

// Linear: each fold becomes one space (RFC 3261 §7.3.1), and no pattern can match the same spaces twice.
function unfold(value: string): string {
  return value.replace(/\r\n[ \t]+/g, ' ');
}

function mandatoryProblem(scan: HeaderScan, start: StartLine): string | undefined {
  const missing = MANDATORY & ~scan.seen;
  if (missing !== 0) return `The header ${missingLabel(missing)} is missing.`;
  const cseq = parseCSeq(scan.cseq);
  if (cseq === undefined) return 'CSeq is not a number below 2^31 and a method.';
  // RFC 3261 §8.1.1.5
  if (start.kind === 'request' && cseq.method !== start.method) {
    return `The method of CSeq is ${cseq.method}, that of the request is ${start.method}.`;
  }
  if (scan.headers.address('From') === undefined) return 'From is not an address.';
  if (scan.headers.address('To') === undefined) return 'To is not an address.';
  return undefined;
}

function missingLabel(missing: number): string {
  if (missing & VIA) return 'Via';
  if (missing & FROM) return 'From';
  if (missing & TO) return 'To';
  return missing & CALL_ID ? 'Call-ID' : 'CSeq';
}

function problemOf(start: StartLine, scan: HeaderScan, status: number, sentence: string): ParseOutcome {
  // RFC 3261 §17.1.1.3: an ACK has no response. RFC 4475 §3.3.1: a request without From, To or Call-ID is ideally answered.
  const isAnswerable = start.kind === 'request' && start.method !== 'ACK' && (scan.seen & VIA) !== 0;
  const request: SipRequest | undefined = isAnswerable
    ? { kind: 'request', method: start.method, uri: start.uri, headers: scan.headers, body: '' }
    : undefined;
  return { problem: { status, sentence, request } };
}

function unreadable(sentence: string): ParseOutcome {
  return { problem: { status: 400, sentence, request: undefined } };
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
