import { isHost, portColon } from './host.ts';
import type { ByteString } from './message.ts';
import type { Param } from './params.ts';
import { parseDigits } from './tokens.ts';
import { escapeUri, unescapeUri } from './uri-escapes.ts';

/** A SIP or SIPS URI (RFC 3261 §19.1); its parts are unescaped, bytes as characters. */
export interface SipUri {
  readonly scheme: 'sip' | 'sips';
  readonly user: ByteString | undefined;
  readonly password: ByteString | undefined;
  /** Lower case, an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number | undefined;
  readonly params: readonly Param[];
  /** The `?name=value&…` part, in order. */
  readonly headers: readonly Param[];
}

/** A tel URI (RFC 3966): the number as written, with its parameters. */
export interface TelUri {
  readonly scheme: 'tel';
  readonly number: string;
  readonly params: readonly Param[];
}

/** The pieces of a SIP URI as written, before any unescaping. */
export interface RawUri {
  readonly scheme: 'sip' | 'sips';
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
  readonly params: readonly Param[];
  readonly headers: readonly Param[];
}

const SCHEME = /^(sips?|tel):/i;
// RFC 3261 §25.1: unreserved and user-unreserved, and escapes; a raw "#" or "^" is tolerated because phones dial it.
const USER = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,;?/#^]|%[0-9A-Fa-f]{2}|[\x80-\xff])*$/;
const PASSWORD = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,]|%[0-9A-Fa-f]{2})*$/;
const PARAM_TEXT = /^(?:[A-Za-z0-9\-_.!~*'()[\]/:&+$]|%[0-9A-Fa-f]{2})*$/;
const HEADER_TEXT = /^(?:[A-Za-z0-9\-_.!~*'()[\]/?:+$]|%[0-9A-Fa-f]{2})*$/;
const TEL_NUMBER = /^\+?[0-9A-Fa-f*#\-.()]+$/;

/** Parses a sip:, sips: or tel: URI; undefined for another scheme or a malformed text, such as one with spaces. */
export function parseUri(text: string): SipUri | TelUri | undefined {
  const scheme = uriScheme(text);
  if (scheme === 'tel') return parseTel(text);
  const raw = splitUri(text);
  if (raw === undefined) return undefined;
  return {
    scheme: raw.scheme,
    user: raw.user === undefined ? undefined : unescapeUri(raw.user),
    password: raw.password === undefined ? undefined : unescapeUri(raw.password),
    host: raw.host.toLowerCase(),
    port: raw.port,
    params: raw.params.map(unescapeParam),
    headers: raw.headers.map(unescapeParam),
  };
}

/** Parses a sip: or sips: URI; undefined for any other text. */
export function parseSipUri(text: string): SipUri | undefined {
  const uri = parseUri(text);
  return uri === undefined || uri.scheme === 'tel' ? undefined : uri;
}

/** The scheme of a URI in lower case, also an unsupported one (for 416 Unsupported URI Scheme). */
export function uriScheme(text: string): string | undefined {
  if (text.startsWith('sip:')) return 'sip';
  return /^[A-Za-z][A-Za-z0-9+\-.]*(?=:)/.exec(text)?.[0].toLowerCase();
}

/** Prints a URI with the necessary escapes. */
export function printUri(uri: SipUri | TelUri): ByteString {
  if (uri.scheme === 'tel') return `tel:${uri.number}${printUriParams(uri.params)}`;
  const password = uri.password === undefined ? '' : `:${escapeUri(uri.password, 'password')}`;
  const userinfo = uri.user === undefined ? '' : `${escapeUri(uri.user, 'user')}${password}@`;
  const port = uri.port === undefined ? '' : `:${uri.port}`;
  return `${uri.scheme}:${userinfo}${uri.host}${port}${printUriParams(uri.params)}${printUriHeaders(uri.headers)}`;
}

/** The pieces of a sip: or sips: URI as written; undefined when it is malformed. */
export function splitUri(text: string): RawUri | undefined {
  const colon = text.indexOf(':');
  const scheme = text.slice(0, colon).toLowerCase();
  if (scheme !== 'sip' && scheme !== 'sips') return undefined;
  // An unescaped "@" can only end the userinfo, but "?" and ";" may be part of the user.
  const at = text.indexOf('@', colon);
  const hostStart = at < 0 ? colon + 1 : at + 1;
  const question = text.indexOf('?', hostStart);
  const uriEnd = question < 0 ? text.length : question;
  const semicolon = text.indexOf(';', hostStart);
  const hostEnd = semicolon < 0 || semicolon > uriEnd ? uriEnd : semicolon;
  const hostport = text.slice(hostStart, hostEnd);
  const hostColon = portColon(hostport);
  const host = hostColon < 0 ? hostport : hostport.slice(0, hostColon);
  const port = hostColon < 0 ? undefined : parseDigits(hostport.slice(hostColon + 1), 65_535);
  if (!isHost(host) || (hostColon >= 0 && port === undefined)) return undefined;
  const params = hostEnd === uriEnd ? NONE : splitPairs(text.slice(hostEnd + 1, uriEnd), ';', PARAM_TEXT);
  const headers = question < 0 ? NONE : splitPairs(text.slice(question + 1), '&', HEADER_TEXT);
  if (params === undefined || headers === undefined) return undefined;
  if (at < 0) return { scheme, user: undefined, password: undefined, host, port, params, headers };
  const secret = text.indexOf(':', colon + 1);
  const hasPassword = secret >= 0 && secret < at;
  const user = text.slice(colon + 1, hasPassword ? secret : at);
  const password = hasPassword ? text.slice(secret + 1, at) : undefined;
  if (user === '' || !USER.test(user)) return undefined;
  if (password !== undefined && !PASSWORD.test(password)) return undefined;
  return { scheme, user, password, host, port, params, headers };
}

const NONE: readonly Param[] = [];

function splitPairs(text: string, separator: string, allowed: RegExp): readonly Param[] | undefined {
  const pairs: Param[] = [];
  for (const piece of text.split(separator)) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = equals < 0 ? piece : piece.slice(0, equals);
    const value = equals < 0 ? undefined : piece.slice(equals + 1);
    if (name === '' || !allowed.test(name) || (value !== undefined && !allowed.test(value))) return undefined;
    pairs.push({ name: name.toLowerCase(), value });
  }
  return pairs;
}

function parseTel(text: string): TelUri | undefined {
  const [number = '', ...rest] = text.replace(SCHEME, '').split(';');
  if (!TEL_NUMBER.test(number) || !/[0-9A-Fa-f*#]/.test(number)) return undefined;
  const params = splitPairs(rest.join(';'), ';', PARAM_TEXT);
  return params === undefined ? undefined : { scheme: 'tel', number, params: params.map(unescapeParam) };
}

function unescapeParam(param: Param): Param {
  const { name, value } = param;
  if (!name.includes('%') && !value?.includes('%')) return param;
  return {
    name: unescapeUri(name).toLowerCase(),
    value: value === undefined ? undefined : unescapeUri(value),
  };
}

function printUriParams(params: readonly Param[]): string {
  let text = '';
  for (const { name, value } of params) {
    text += `;${escapeUri(name, 'param')}${value === undefined ? '' : `=${escapeUri(value, 'param')}`}`;
  }
  return text;
}

function printUriHeaders(headers: readonly Param[]): string {
  let text = '';
  for (const { name, value } of headers) {
    const pair = value === undefined ? '' : `=${escapeUri(value, 'header')}`;
    text += `${text === '' ? '?' : '&'}${escapeUri(name, 'header')}${pair}`;
  }
  return text;
}
