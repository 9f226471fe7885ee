import { type Param, paramOf, parseParams, printParams } from './params.ts';
import { endOfQuoted, quote, trimSpace, unquote } from './tokens.ts';

/** A From, To, Contact, Route or Refer-To value (RFC 3261 §20.10). */
export interface NameAddr {
  /** Without quotes and escapes, bytes of UTF-8; see `decodeUtf8`. */
  readonly displayName: string | undefined;
  /** The URI as text; see `parseUri`. */
  readonly uri: string;
  /** Parameters of the header, not of the URI. */
  readonly params: readonly Param[];
  /** The `tag` parameter of From and To. */
  readonly tag: string | undefined;
}

/** Parses `"Name" <uri>;params` or `uri;params`; undefined when it is malformed. Does not parse the URI itself. */
export function parseNameAddr(value: string): NameAddr | undefined {
  const isQuoted = value.charCodeAt(0) === 0x22;
  const nameEnd = isQuoted ? endOfQuoted(value, 0) : 0;
  if (nameEnd < 0) return undefined;
  const open = value.indexOf('<', nameEnd);
  // After a ";" the "<" belongs to a parameter, as in `sip:a@b;tag="<x>"`.
  const isBracketed = open >= 0 && (isQuoted || !value.slice(0, open).includes(';'));
  if (!isBracketed) return isQuoted ? undefined : parseAddrSpec(value);
  const close = value.indexOf('>', open);
  if (close < 0) return undefined;
  const between = trimSpace(value.slice(nameEnd, open));
  if (isQuoted ? between !== '' : !isPlainName(between)) return undefined;
  const params = parseParams(value, close + 1);
  const uri = value.slice(open + 1, close);
  if (params === undefined || !isUriText(uri)) return undefined;
  const displayName = isQuoted ? unquote(value.slice(0, nameEnd)) : between || undefined;
  return { displayName, uri, params, tag: paramOf(params, 'tag') };
}

/** Prints a name-addr, always in angle brackets, which separate the parameters of URI and header. */
export function printNameAddr(address: Omit<NameAddr, 'tag'>): string {
  const name = address.displayName === undefined ? '' : `${quote(address.displayName)} `;
  return `${name}<${address.uri}>${printParams(address.params)}`;
}

/** The `tag` of a From or To value, or undefined when it has none or is malformed. */
export function tagOf(value: string): string | undefined {
  return parseNameAddr(value)?.tag;
}

// RFC 3261 §20: without angle brackets, a ";" begins header parameters, and "," or "?" may not appear.
function parseAddrSpec(value: string): NameAddr | undefined {
  const semicolon = value.indexOf(';');
  const uri = trimSpace(semicolon < 0 ? value : value.slice(0, semicolon));
  if (!isUriText(uri) || uri.includes('?') || uri.includes(',')) return undefined;
  const params = semicolon < 0 ? [] : parseParams(value, semicolon);
  if (params === undefined) return undefined;
  return { displayName: undefined, uri, params, tag: paramOf(params, 'tag') };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a URI may not hold
const URI_TEXT = /^[A-Za-z][A-Za-z0-9+\-.]*:[^\x00-\x20<>"\x7f]+$/;

function isUriText(text: string): boolean {
  return URI_TEXT.test(text);
}

// RFC 3261 §25.1 allows tokens and spaces only; phones also send other harmless bytes, such as UTF-8.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a display name may not hold
const NOT_PLAIN = /[\x00-\x08\x0b\x0c\x0e-\x1f"<>@,;:\\]/;

function isPlainName(text: string): boolean {
  return !NOT_PLAIN.test(text);
}
