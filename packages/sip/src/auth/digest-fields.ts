import { endOfQuoted, isTokenCode, unquote } from '../message/tokens.ts';

/** The parameters of a Digest challenge or authorization: lower-case names, values without quotes. */
export type DigestFields = ReadonlyMap<string, string>;

/**
 * Parses `Digest name=value, name="value", …` (RFC 7616 §3.3, RFC 3261 §25.1 `auth-param`); undefined for another scheme,
 * a malformed list, or a repeated parameter, which two parsers could read differently.
 */
export function parseDigestFields(value: string): DigestFields | undefined {
  if (value.slice(0, 7).toLowerCase() !== 'digest ') return undefined;
  const fields = new Map<string, string>();
  const hasEscapes = value.includes('\\');
  for (let index = 7; index < value.length; ) {
    index = skipSeparators(value, index);
    if (index >= value.length) break;
    const nameEnd = endOfName(value, index);
    let start = skipSpace(value, nameEnd);
    if (nameEnd === index || value.charCodeAt(start) !== 0x3d) return undefined;
    const name = nameAt(value, index, nameEnd);
    start += 1;
    while (value.charCodeAt(start) === 0x20) start += 1;
    const isQuoted = value.charCodeAt(start) === 0x22;
    const end = isQuoted ? endOfQuotedField(value, start, hasEscapes) : endOfToken(value, start);
    if (end < 0 || fields.has(name)) return undefined;
    const isPlain = isQuoted && !hasEscapes;
    fields.set(name, isPlain ? value.slice(start + 1, end - 1) : unquote(value.slice(start, end)));
    index = skipSpace(value, end);
    if (index < value.length && value.charCodeAt(index) !== 0x2c) return undefined;
  }
  return fields;
}

function endOfName(value: string, start: number): number {
  let end = start;
  while (end < value.length && isTokenCode(value.charCodeAt(end))) end += 1;
  return end;
}

const NAMES =
  'username realm nonce uri response algorithm qop nc cnonce opaque stale domain charset userhash'.split(' ');
/** The usual names by their first character. */
const BY_FIRST = new Map(
  NAMES.map(({ 0: first = '' }) => [first.charCodeAt(0), NAMES.filter((name) => name.startsWith(first))]),
);

/** The name in lower case. A usual name is always the same string object, so a later lookup in a map is cheap. */
function nameAt(value: string, start: number, end: number): string {
  for (const name of BY_FIRST.get(value.charCodeAt(start)) ?? []) {
    if (name.length === end - start && value.startsWith(name, start)) return name;
  }
  return value.slice(start, end).toLowerCase();
}

/** Without escapes the next quote ends the text, so one search suffices. */
function endOfQuotedField(value: string, start: number, hasEscapes: boolean): number {
  return hasEscapes ? endOfQuoted(value, start) : value.indexOf('"', start + 1) + 1 || -1;
}

function endOfToken(value: string, start: number): number {
  let end = start;
  while (end < value.length && value.charCodeAt(end) > 0x20 && value.charCodeAt(end) !== 0x2c) end += 1;
  return end;
}

function skipSpace(value: string, start: number): number {
  let index = start;
  while (value.charCodeAt(index) === 0x20 || value.charCodeAt(index) === 0x09) index += 1;
  return index;
}

function skipSeparators(value: string, start: number): number {
  let index = skipSpace(value, start);
  while (value.charCodeAt(index) === 0x2c) index = skipSpace(value, index + 1);
  return index;
}
