import type { ByteString } from './message.ts';

const REPLACEMENT = '\ufffd';

/** Decodes a byte string of UTF-8, such as a display name; invalid bytes become U+FFFD (RFC 3629). */
export function decodeUtf8(bytes: ByteString): string {
  let text = '';
  let plain = 0;
  for (let index = 0; index < bytes.length; ) {
    if (bytes.charCodeAt(index) < 0x80) {
      index += 1;
      continue;
    }
    text += bytes.slice(plain, index);
    const length = sequenceLength(bytes, index);
    text += length === 0 ? REPLACEMENT : String.fromCodePoint(codePoint(bytes, index, length));
    index += Math.max(1, length);
    plain = index;
  }
  return plain === 0 ? bytes : text + bytes.slice(plain);
}

/** UTF-8 bytes of a text, one character per byte; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): ByteString {
  let bytes = '';
  for (const character of text) {
    const point = character.codePointAt(0)!;
    if (point < 0x80) bytes += character;
    else if (point < 0x800) bytes += String.fromCharCode(0xc0 | (point >> 6), tail(point));
    else if (point >= 0xd800 && point < 0xe000) bytes += '\xef\xbf\xbd';
    else if (point < 0x10000)
      bytes += String.fromCharCode(0xe0 | (point >> 12), tail(point >> 6), tail(point));
    else bytes += String.fromCharCode(0xf0 | (point >> 18), tail(point >> 12), tail(point >> 6), tail(point));
  }
  return bytes;
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

/** Bytes of the well-formed sequence at `index`, or 0: shortest form only, no surrogates, at most U+10FFFF. */
function sequenceLength(bytes: string, index: number): number {
  const first = bytes.charCodeAt(index);
  const second = bytes.charCodeAt(index + 1);
  if (first >= 0xc2 && first <= 0xdf) return isTail(second) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (first === 0xe0 && second < 0xa0) return 0;
    if (first === 0xed && second > 0x9f) return 0;
    return isTail(second) && isTail(bytes.charCodeAt(index + 2)) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (first === 0xf0 && second < 0x90) return 0;
    if (first === 0xf4 && second > 0x8f) return 0;
    const isWhole = isTail(bytes.charCodeAt(index + 2)) && isTail(bytes.charCodeAt(index + 3));
    return isTail(second) && isWhole ? 4 : 0;
  }
  return 0;
}

function isTail(code: number): boolean {
  return code >= 0x80 && code <= 0xbf;
}

function codePoint(bytes: string, index: number, length: number): number {
  let point = bytes.charCodeAt(index) & (0xff >> (length + 1));
  for (let offset = 1; offset < length; offset += 1) {
    point = (point << 6) | (bytes.charCodeAt(index + offset) & 0x3f);
  }
  return point;
}
