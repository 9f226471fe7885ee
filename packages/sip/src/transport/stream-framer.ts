import type { ByteString } from '../message/message.ts';
import { parseDigits, trimSpace } from '../message/tokens.ts';

/** One part of a stream. */
export type Frame =
  | { readonly kind: 'message'; readonly text: ByteString }
  /** A double CRLF between messages, to be answered with one CRLF (RFC 5626 §3.5.1). */
  | { readonly kind: 'ping' }
  /**
   * The stream cannot be framed any further. `text` is the header section of the faulty message, if any: the parser refuses
   * it, so it can be answered before the connection closes.
   */
  | { readonly kind: 'broken'; readonly sentence: string; readonly text: ByteString | undefined };

/** Cuts a byte stream into SIP messages by their Content-Length (RFC 3261 §18.3). */
export interface StreamFramer {
  /** Accepts the next bytes, in pieces of any size, and returns the complete frames. None comes after `broken`. */
  push(bytes: ByteString): readonly Frame[];
  /** Characters that wait for the rest of their message; at most the limit. */
  readonly buffered: number;
}

/** Creates a framer; `messageSize` bounds header and body of one message together. */
export function createStreamFramer(messageSize = 65_535): StreamFramer {
  return new Framer(messageSize);
}

const CR = 0x0d;
const LF = 0x0a;
const HEADER_END = '\r\n\r\n';

class Framer implements StreamFramer {
  buffered = 0;
  private readonly messageSize: number;
  /** Pieces of the message so far, joined once: otherwise each received byte could cost a copy of all. */
  private pieces: string[] = [];
  /** The last characters of the pieces, which may begin the end of the header. */
  private tail = '';
  /** Size of the whole message, once its header is known; 0 before. */
  private frameLength = 0;
  /** CR and LF seen in a row between messages. */
  private emptyLines = 0;
  private isBroken = false;

  constructor(messageSize: number) {
    this.messageSize = messageSize;
  }

  push(bytes: ByteString): readonly Frame[] {
    const frames: Frame[] = [];
    for (let rest = bytes; rest !== '' && !this.isBroken; ) {
      if (this.buffered === 0) rest = this.skipEmptyLines(rest, frames);
      if (rest === '') break;
      rest = this.frameLength === 0 ? this.readHeader(rest, frames) : this.readBody(rest, frames);
    }
    return frames;
  }

  private skipEmptyLines(bytes: string, frames: Frame[]): string {
    let index = 0;
    for (; index < bytes.length; index += 1) {
      const code = bytes.charCodeAt(index);
      if (code !== CR && code !== LF) {
        this.emptyLines = 0;
        break;
      }
      this.emptyLines += 1;
      if (this.emptyLines === HEADER_END.length) {
        frames.push({ kind: 'ping' });
        this.emptyLines = 0;
      }
    }
    return bytes.slice(index);
  }

  private readHeader(bytes: string, frames: Frame[]): string {
    const seam = this.tail + bytes;
    const found = seam.indexOf(HEADER_END);
    if (found < 0) {
      this.tail = seam.slice(-(HEADER_END.length - 1));
      this.keep(bytes);
      if (this.buffered > this.messageSize) {
        this.breakOff(frames, `A header section exceeds ${this.messageSize} bytes.`, undefined);
      }
      return '';
    }
    const used = found + HEADER_END.length - this.tail.length;
    this.tail = '';
    this.keep(bytes.slice(0, used));
    const header = this.pieces.length === 1 ? this.pieces[0]! : this.pieces.join('');
    this.pieces = [header];
    const length = contentLength(header);
    if (length === undefined) this.breakOff(frames, 'Content-Length is not a single number.', header);
    else if (header.length + length > this.messageSize) {
      this.breakOff(frames, `A message exceeds ${this.messageSize} bytes.`, header);
    } else {
      this.frameLength = header.length + length;
      if (length === 0) this.complete(frames);
    }
    return bytes.slice(used);
  }

  private readBody(bytes: string, frames: Frame[]): string {
    const missing = this.frameLength - this.buffered;
    this.keep(missing >= bytes.length ? bytes : bytes.slice(0, missing));
    if (this.buffered === this.frameLength) this.complete(frames);
    return bytes.slice(missing);
  }

  private keep(bytes: string): void {
    this.pieces.push(bytes);
    this.buffered += bytes.length;
  }

  private complete(frames: Frame[]): void {
    frames.push({ kind: 'message', text: this.pieces.join('') });
    this.reset();
  }

  private breakOff(frames: Frame[], sentence: string, text: string | undefined): void {
    frames.push({ kind: 'broken', sentence, text });
    this.reset();
    this.isBroken = true;
  }

  private reset(): void {
    this.pieces = [];
    this.buffered = 0;
    this.frameLength = 0;
    this.tail = '';
  }
}

// A continuation line may come between the colon and the digits; no two branches match the same characters.
const CONTENT_LENGTH = /\r\n(?:content-length|l)[ \t]*:(?:[ \t]|\r\n[ \t])*([^\r\n]*)/gi;

/**
 * The Content-Length of a header section: 0 when it is absent, as old phones omit it without a body; undefined when it is
 * malformed or repeated, because the start of the next message is then unknown.
 */
function contentLength(header: string): number | undefined {
  let length: number | undefined = 0;
  let count = 0;
  for (const match of header.matchAll(CONTENT_LENGTH)) {
    count += 1;
    // Not by a pattern: one for trailing spaces retries from each space, in quadratic time.
    length = parseDigits(trimSpace(match[1] ?? ''), Number.MAX_SAFE_INTEGER);
  }
  return count > 1 ? undefined : length;
}
