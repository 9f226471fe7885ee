import type { DialRequest, DialTarget, LegSpec } from '@jackfield/ports';
import {
  decodeUtf8,
  encodeUtf8,
  hostOfAddress,
  type InviteOptions,
  type InviteTarget,
  isToken,
  parseSipUri,
  parseUri,
  printNameAddr,
  printUri,
  type SipRequest,
  type SipUri,
  type TelUri,
} from '@jackfield/sip';
import type { Admitted } from '../admission/admission.ts';
import type { Gruus } from '../registrar/gruus.ts';
import { calleeNames } from '../registrar/phone-names.ts';
import { isOurs } from './domains.ts';

/** No callee has a longer name: longer ones would only fill the records. */
const longestCallee = 255;
const longestCallerName = 100;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what neither a header nor a record may hold
const control = /[\x00-\x1f\x7f]+/g;

/**
 * The callee: the user of our SIP URI, or the number of a tel URI without its separators; undefined for all other URIs. `isKnownHost` means
 * that the host was recognised before, as that of a trunk.
 */
export function calleeOf(
  requestUri: string,
  domains: readonly string[],
  isKnownHost = false,
): string | undefined {
  const uri = parseUri(requestUri);
  if (uri === undefined) return undefined;
  const isCalledHere = uri.scheme === 'tel' || isKnownHost || isOurs(uri.host, domains);
  const callee = isCalledHere ? partyOf(uri) : undefined;
  if (callee === undefined) return undefined;
  return callee.length > longestCallee || callee.search(control) >= 0 ? undefined : callee;
}

/** The same for a URI that may be a GRUU, which names one phone of a user or none. */
export async function calleeMeantBy(
  uri: string,
  { domains, gruus }: { readonly domains: readonly string[]; readonly gruus?: Gruus },
  isKnownHost = false,
): Promise<string | undefined> {
  return gruus?.isGruu(uri) ? gruus.resolve(uri) : calleeOf(uri, domains, isKnownHost);
}

/** RFC 3261 §19.1.1: the user of a SIP URI may be a number with the parameters of a tel URI. */
const subscriber = /^(\+[0-9\-.()]+|[0-9*#\-.()]+(?=;))(?:;.*)?$/;

/** The party that a URI names: a number without separators and parameters, or the user of a SIP URI; undefined for all other URIs. */
export function partyOfUri(text: string): string | undefined {
  const uri = parseUri(text);
  return uri === undefined ? undefined : partyOf(uri);
}

function partyOf(uri: SipUri | TelUri): string | undefined {
  if (uri.scheme === 'tel') return withoutSeparators(uri.number);
  if (uri.user === undefined) return undefined;
  const number = subscriber.exec(uri.user)?.[1];
  return number === undefined ? decodeUtf8(uri.user) : withoutSeparators(number);
}

/** RFC 3966 §3: visual separators carry no meaning. */
function withoutSeparators(number: string): string {
  return number.replace(/[-.()]/g, '');
}

/** The caller: the authenticated user, else the number or user in From; for external callers with the host. */
export function callerOf(request: SipRequest, admitted: Admitted): { from: string; callerName: string } {
  const from = request.headers.address('From');
  const claimed = from === undefined ? undefined : partyOfUri(from.uri);
  const name = from?.displayName === undefined ? '' : decodeUtf8(from.displayName);
  const unverified = admitted.external ?? (claimed ?? '').replace(control, ' ').slice(0, longestCallee);
  return {
    from: admitted.user === '' ? unverified : admitted.user,
    callerName: Array.from(name.replace(control, ' ')).slice(0, longestCallerName).join(''),
  };
}

/** The longest name that the browser SDK reads; headers with longer names do not reach the program (docs/interface/calls.md#sip-headers). */
const customHeader = /^x-ph-(.{1,24})$/i;
const longestCustomValue = 120;
/** `X-PH-…` of one INVITE that reach the program (docs/interface/calls.md#sip-headers). */
const mostCustomHeaders = 31;
/** Characters of any other header in a record. */
const longestRecordedValue = 512;

/**
 * Headers of the caller for the program that handles its call: `X-PH-…` by their full names, and To as `SIP-H-To`
 * (docs/interface/calls.md#request-parameters).
 */
export function customHeadersOf(request: SipRequest): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const to = request.headers.get('To');
  if (to !== undefined) headers['SIP-H-To'] = readable(to);
  let custom = 0;
  for (const [name, value] of request.headers.entries()) {
    if (custom >= mostCustomHeaders) break;
    const own = customHeader.exec(name)?.[1];
    if (own === undefined) continue;
    const text = readable(value);
    if (text.length > longestCustomValue) continue;
    const key = `X-PH-${own}`;
    if (!Object.hasOwn(headers, key)) custom += 1;
    headers[key] = text;
  }
  return headers;
}

/** Text of a header for records: one line, bounded. */
export function readable(value: string): string {
  return decodeUtf8(value).replace(control, ' ').slice(0, longestRecordedValue);
}

/**
 * From or To of our INVITEs. `party` is a number, a user or a SIP URI, reduced to its user; the result is always a valid address of
 * `domain`.
 */
export function addressOf(party: string, domain: string, displayName?: string): string {
  const text = encodeUtf8(party);
  const user = parseSipUri(text)?.user ?? /^sips?:([^@]+)@/i.exec(text)?.[1] ?? text;
  const uri = printUri({
    scheme: 'sip',
    user: user === '' ? 'anonymous' : user,
    password: undefined,
    host: hostOfAddress(domain),
    port: undefined,
    params: [],
    headers: [],
  });
  const name = displayName?.replace(control, ' ').trim() ?? '';
  return printNameAddr({ displayName: name === '' ? undefined : encodeUtf8(name), uri, params: [] });
}

/** Extra headers of a leg by their full names, without invalid ones. */
function headersOf({ sipHeaders }: LegSpec): [name: string, value: string][] {
  return Object.entries(sipHeaders)
    .filter(([name]) => isToken(name))
    .map(([name, value]) => [`X-PH-${name}`, encodeUtf8(value.replace(control, ' '))]);
}

/**
 * The target of an INVITE and its addresses of both parties, as from one of our domains. A registered phone sees the host of an external
 * caller, so that no external caller can pass for one of our users.
 */
export function inviteOf(
  { leg, spec, callee, targets, caller = spec.from, callerName = spec.callerName }: DialRequest,
  domain: string,
): Omit<InviteOptions, 'content'> {
  const isPhone = targets.every(({ flow }) => flow !== undefined);
  const callersHost = isPhone ? parseSipUri(encodeUtf8(caller))?.host : undefined;
  return {
    targets: targets.map(inviteTarget),
    from: addressOf(caller, callersHost ?? domain, callerName),
    to: addressOf(callee, domain),
    headers: [...headersOf(spec), ['X-CallUUID', leg]],
  };
}

function inviteTarget(target: DialTarget): InviteTarget {
  const { uri, flow, path, otherFlows } = target;
  const phone = calleeNames(target);
  return {
    uri,
    ...(flow !== undefined && { flow }),
    ...(phone.length > 0 && { phone }),
    ...(path && { path }),
    ...(otherFlows && { otherFlows: otherFlows.map(inviteTarget) }),
  };
}
