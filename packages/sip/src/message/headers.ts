import { type HeaderName, headerName } from './header-names.ts';
import type { ByteString, SipHeaders } from './message.ts';
import { type NameAddr, parseNameAddr } from './name-addr.ts';
import { trimSpace } from './tokens.ts';
import { encodeUtf8 } from './utf8.ts';

/**
 * Empty header fields, or fields built from pairs in their order. `get` returns the first value of `all`: for a list header
 * the topmost value, not the whole line.
 */
export function createHeaders(pairs: Iterable<readonly [name: string, value: string]> = []): SipHeaders {
  const headers = new MessageHeaders();
  for (const [name, value] of pairs) headers.append(name, value);
  return headers;
}

/** A value with the address in it; the value is the key, so that a changed field needs no notice. */
interface ParsedValue {
  readonly value: string;
  readonly address: NameAddr | undefined;
}

const NONE_PARSED: readonly ParsedValue[] = [];

/** Header fields as two parallel arrays; a message has a dozen, so a scan is cheaper than building an index. */
export class MessageHeaders implements SipHeaders {
  private names: HeaderName[] = [];
  private values: string[] = [];
  private parsed: readonly ParsedValue[] = NONE_PARSED;

  get(name: string): string | undefined {
    const sought = headerName(name);
    const index = this.indexOf(sought.key);
    if (index < 0) return undefined;
    const value = this.values[index]!;
    if (!sought.isList || !value.includes(',')) return value;
    return this.all(name)[0];
  }

  address(name: string): NameAddr | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    for (const known of this.parsed) if (known.value === value) return known.address;
    const address = parseNameAddr(value);
    this.parsed = [...this.parsed, { value, address }];
    return address;
  }

  all(name: string): readonly string[] {
    const { key, isList } = headerName(name);
    const found: string[] = [];
    for (let index = 0; index < this.names.length; index += 1) {
      if (this.names[index]!.key !== key) continue;
      const value = this.values[index]!;
      if (isList) splitList(value, found);
      else found.push(value);
    }
    return found;
  }

  has(name: string): boolean {
    return this.indexOf(headerName(name).key) >= 0;
  }

  set(name: string, value: string): void {
    const sought = headerName(name);
    const first = this.indexOf(sought.key);
    if (first < 0) {
      this.add(sought, fieldValue(value));
      return;
    }
    this.values[first] = fieldValue(value);
    this.removeFrom(first + 1, sought.key);
  }

  append(name: string, value: string): void {
    this.add(headerName(name), fieldValue(value));
  }

  prepend(name: string, value: string): void {
    const sought = headerName(name);
    const index = Math.max(0, this.indexOf(sought.key));
    this.names.splice(index, 0, sought);
    this.values.splice(index, 0, fieldValue(value));
  }

  remove(name: string): void {
    this.removeFrom(0, headerName(name).key);
  }

  removeFirst(name: string): void {
    const { key, isList } = headerName(name);
    for (let index = this.indexOf(key); index >= 0; index = this.indexOf(key)) {
      const value = isList ? withoutEmptyFirst(this.values[index]!) : this.values[index]!;
      const rest = isList ? withoutEmptyFirst(value.slice(endOfFirst(value, 0))) : '';
      if (rest !== '') {
        this.values[index] = rest;
        return;
      }
      this.names.splice(index, 1);
      this.values.splice(index, 1);
      // A field of commas only has no value: the topmost value is in a later field.
      if (value !== '' || !isList) return;
    }
  }

  replaceFirst(name: string, value: string): void {
    const index = this.indexOf(headerName(name).key);
    if (index >= 0 && !this.values[index]!.includes(',')) {
      this.values[index] = fieldValue(value);
      return;
    }
    this.removeFirst(name);
    this.prepend(name, value);
  }

  *entries(): Iterable<readonly [name: string, value: string]> {
    for (let index = 0; index < this.names.length; index += 1) {
      yield [this.names[index]!.label, this.values[index]!];
    }
  }

  /** The fields as header lines, each with its CRLF. */
  print(): ByteString {
    let text = '';
    for (let index = 0; index < this.names.length; index += 1) {
      text += `${this.names[index]!.label}: ${this.values[index]!}\r\n`;
    }
    return text;
  }

  /** Appends a value without line breaks, such as those of the parser and of other messages. */
  add(name: HeaderName, value: string): void {
    this.names.push(name);
    this.values.push(value);
  }

  /** Appends the fields of `other` whose bit is in `mask`; of single fields only the first is taken. */
  copy(other: MessageHeaders, mask: number, single: number): void {
    let taken = 0;
    for (let index = 0; index < other.names.length; index += 1) {
      const name = other.names[index]!;
      if ((name.bit & mask) === 0 || (name.bit & taken & single) !== 0) continue;
      taken |= name.bit;
      this.add(name, other.values[index]!);
    }
  }

  private indexOf(key: string): number {
    for (let index = 0; index < this.names.length; index += 1) {
      if (this.names[index]!.key === key) return index;
    }
    return -1;
  }

  private removeFrom(start: number, key: string): void {
    let kept = start;
    for (let index = start; index < this.names.length; index += 1) {
      if (this.names[index]!.key === key) continue;
      this.names[kept] = this.names[index]!;
      this.values[kept] = this.values[index]!;
      kept += 1;
    }
    this.names.length = kept;
    this.values.length = kept;
  }
}

/** The values of a list field; commas inside quotes or angle brackets do not separate. Empty elements are skipped. */
export function splitList(value: string, into: string[] = []): string[] {
  if (!value.includes(',')) {
    if (value !== '') into.push(value);
    return into;
  }
  for (let start = 0; start <= value.length; ) {
    const end = endOfFirst(value, start);
    const element = trimSpace(value.slice(start, end));
    if (element !== '') into.push(element);
    start = end + 1;
  }
  return into;
}

function withoutEmptyFirst(list: string): string {
  let start = 0;
  while (start < list.length && ' \t,'.includes(list[start]!)) start += 1;
  return list.slice(start);
}

/** Position of the comma that ends the element starting at `start`, or the length of the value. */
function endOfFirst(value: string, start: number): number {
  let isQuoted = false;
  let isBracketed = false;
  for (let index = start; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (isQuoted) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) isQuoted = false;
    } else if (code === 0x3e) isBracketed = false;
    else if (isBracketed) continue;
    else if (code === 0x22) isQuoted = true;
    else if (code === 0x3c) isBracketed = true;
    else if (code === 0x2c) return index;
  }
  return value.length;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that would break a line
const UNSAFE = /[\r\n]|[^\x00-\xff]/;
const WIDE = /[\u0100-\uffff]+/g;

/**
 * Keeps a value of the application on its line: line breaks become spaces, and characters wider than a byte become UTF-8.
 * The transport would cut these to a byte, and U+010D or U+010A would become a line break.
 */
function fieldValue(value: string): ByteString {
  if (!UNSAFE.test(value)) return value;
  return value.replace(/[\r\n]+/g, ' ').replace(WIDE, encodeUtf8);
}
