// RFC 3261 §25.1: token = 1*(alphanum / "-" / "." / "!" / "%" / "*" / "_" / "+" / "`" / "'" / "~")
const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]$/;
/** By character code: tokens have a few characters, and a pattern costs as much to start as twenty of them. */
const IN_TOKEN = Uint8Array.from({ length: 128 }, (_, code) =>
  TOKEN.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Whether a text is a `token` of RFC 3261 §25.1, such as a method, header name or tag. */
export function isToken(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (!isTokenCode(text.charCodeAt(index))) return false;
  }
  return text.length > 0;
}

/** Whether a character of that code may be in a token. */
export function isTokenCode(code: number): boolean {
  return IN_TOKEN[code] === 1;
}

/** The number of a run of decimal digits; undefined for any other text and above `max`. */
export function parseDigits(text: string, max: number): number | undefined {
  if (text.length === 0) return undefined;
  let number = 0;
  for (let index = 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
    if (number > max) return undefined;
  }
  return number;
}

/** A `delta-seconds`, as in Expires; larger values count as 2^32−1 (RFC 3261 §20.19, RFC 4475 §3.3.7). */
export function parseDeltaSeconds(text: string): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  return parseDigits(text, 0xffff_ffff) ?? 0xffff_ffff;
}

/** A text as a quoted-string of RFC 3261 §25.1. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The text inside a quoted-string with its escapes resolved; any other text unchanged. */
export function unquote(text: string): string {
  if (text.length < 2 || text.charCodeAt(0) !== 0x22 || text.charCodeAt(text.length - 1) !== 0x22)
    return text;
  const inner = text.slice(1, -1);
  return inner.includes('\\') ? inner.replace(/\\([\s\S])/g, '$1') : inner;
}

/** Position after the quoted-string that opens at `start`, or -1 when it never closes. */
export function endOfQuoted(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index += 1;
    else if (code === 0x22) return index + 1;
  }
  return -1;
}

/** The text without spaces and tabs at its ends; `trim` would also remove a byte A0, which may end UTF-8. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
