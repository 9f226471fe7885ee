import { endOfQuoted, isTokenCode, unquote } from '../message/tokens.ts';

/** The parameters of a Digest challenge or authorization: lower-case names, values without quotes. */
export interface DigestFields extends Iterable<readonly [name: string, value: string]> {
  get(name: string): string | undefined;
  readonly size: number;
}

/** Two parallel arrays: a dozen fields are found sooner by a scan than through a hash table, which each REGISTER would fill anew. */
class FieldList implements DigestFields {
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  get(name: string): string | undefined {
    const names = this.#names;
    for (let index = 0; index < names.length; index += 1)
      if (names[index] === name) return this.#values[index];
    return undefined;
  }

  /** False for a repeated name. */
  add(name: string, value: string): boolean {
    if (this.get(name) !== undefined) return false;
    this.#names.push(name);
    this.#values.push(value);
    return true;
  }

  *[Symbol.iterator](): Iterator<readonly [name: string, value: string]> {
    for (const [index, name] of this.#names.entries()) yield [name, this.#values[index]!];
  }
}

/**
 * Parses `Digest name=value, name="value", …` (RFC 7616 §3.3, RFC 3261 §25.1 `auth-param`); undefined for another scheme,
 * a malformed list, or a repeated parameter, which two parsers could read differently.
 */
export function parseDigestFields(value: string): DigestFields | undefined {
  if (value.slice(0, 7).toLowerCase() !== 'digest ') return undefined;
  const fields = new FieldList();
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
    if (end < 0) return undefined;
    const isPlain = isQuoted && !hasEscapes;
    if (!fields.add(name, isPlain ? value.slice(start + 1, end - 1) : unquote(value.slice(start, end))))
      return undefined;
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
/** The usual names by the code of their first character. */
const BY_FIRST: readonly (readonly string[])[] = Array.from({ length: 128 }, (_, code) =>
  NAMES.filter((name) => name.charCodeAt(0) === code),
);

/** The name in lower case. A usual name is always the same string object, so a later comparison is cheap. */
function nameAt(value: string, start: number, end: number): string {
  for (const name of BY_FIRST[value.charCodeAt(start)] ?? []) {
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
