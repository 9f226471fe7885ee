import { parseNameAddr } from '../message/name-addr.ts';
import { type Param, paramOf } from '../message/params.ts';
import { parseDeltaSeconds, parseDigits, unquote } from '../message/tokens.ts';
import { parseSipUri } from '../message/uri.ts';

/** A Contact value of a REGISTER. */
export interface RequestedContact {
  readonly uri: string;
  readonly q: number;
  /** Requested seconds; 0 removes the contact. */
  readonly expires: number;
  /** `+sip.instance` and `reg-id` (RFC 5626 §4.1, §4.2); a `reg-id` without an instance is ignored. */
  readonly instance?: string;
  readonly regId?: number;
}

// RFC 3261 §10.2.1.1: "Malformed values SHOULD be treated as equivalent to 3600."
const MALFORMED_EXPIRES = 3600;
// RFC 3261 §25.1: qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )
const QVALUE = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

// RFC 5626 §4.1: a URN in angle brackets; the length limits are ours.
const INSTANCE = /^<[A-Za-z][A-Za-z0-9+.-]{0,30}:[!#-;=?-[\]-~]{1,200}>$/;

/**
 * Parses one Contact value; without its own `expires` the `expiresHeader` holds, and without both `defaultExpires`. Undefined
 * when it is malformed or not a SIP URI.
 */
export function requestedContact(
  value: string,
  expiresHeader: string | undefined,
  defaultExpires: number,
): RequestedContact | undefined {
  const address = parseNameAddr(value);
  if (address === undefined || parseSipUri(address.uri) === undefined) return undefined;
  const q = qOf(address.params);
  if (q === undefined) return undefined;
  const own = paramOf(address.params, 'expires') ?? expiresHeader;
  const expires = own === undefined ? defaultExpires : (parseDeltaSeconds(own) ?? MALFORMED_EXPIRES);
  const instance = unquote(paramOf(address.params, '+sip.instance') ?? '');
  if (instance === '') return { uri: address.uri, q, expires };
  if (!INSTANCE.test(instance)) return undefined;
  const regId = parseDigits(paramOf(address.params, 'reg-id') ?? '', 0x7fff_ffff);
  return { uri: address.uri, q, expires, instance, ...(regId ? { regId } : {}) };
}

function qOf(params: readonly Param[]): number | undefined {
  const text = paramOf(params, 'q');
  if (text === undefined) return 1;
  return QVALUE.test(text) ? Number(text) : undefined;
}
