import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { paramOf, parseParams } from '../message/params.ts';
import { parseDeltaSeconds, trimSpace } from '../message/tokens.ts';
import type { HeaderPairs } from './answers.ts';

/** The session interval (RFC 4028), in seconds: the longest time without a refresh. */
export interface SessionInterval {
  /** Our requested interval. */
  readonly requestedS: number;
  /** Shorter intervals than this are refused with 422. */
  readonly leastS: number;
}

/** RFC 4028 §4 recommends 1800 s; 90 s is the smallest allowed interval (RFC 4028 §5). */
export const DEFAULT_SESSION_INTERVAL: SessionInterval = { requestedS: 1800, leastS: 90 };

/** Minimum of Min-SE, and its value in a message without the header (RFC 4028 §5). */
const LEAST_MIN_SE_S = 90;

/** A day; longer intervals are cut to it, and a 422 with a longer Min-SE ends the call. */
export const LONGEST_INTERVAL_S = 86_400;

/** The agreed session interval and the refresher. */
export interface SessionTerms {
  readonly intervalS: number;
  /** The largest Min-SE that was seen, which later requests repeat (RFC 4028 §7.4). */
  readonly minS: number;
  readonly weRefresh: boolean;
}

/** Parses a Session-Expires value (RFC 4028 §4); undefined when malformed. */
export function parseSessionExpires(
  value: string,
): { readonly seconds: number; readonly refresher: 'uac' | 'uas' | undefined } | undefined {
  const semicolon = value.indexOf(';');
  const seconds = parseDeltaSeconds(trimSpace(semicolon < 0 ? value : value.slice(0, semicolon)));
  const params = semicolon < 0 ? [] : parseParams(value, semicolon);
  if (seconds === undefined || params === undefined) return undefined;
  const refresher = paramOf(params, 'refresher')?.toLowerCase();
  return {
    seconds: Math.min(seconds, LONGEST_INTERVAL_S),
    refresher: refresher === 'uac' || refresher === 'uas' ? refresher : undefined,
  };
}

/** The Min-SE of a message in seconds; 90 when it is missing or malformed (RFC 4028 §5). */
export function minSeOf(message: SipMessage): number {
  const value = message.headers.get('Min-SE') ?? '';
  const semicolon = value.indexOf(';');
  const seconds = parseDeltaSeconds(trimSpace(semicolon < 0 ? value : value.slice(0, semicolon)));
  return Math.min(Math.max(seconds ?? 0, LEAST_MIN_SE_S), LONGEST_INTERVAL_S);
}

/** Whether a message names an option tag in a header such as Supported or Require. */
export function namesOption(message: SipMessage, header: string, tag: string): boolean {
  return (
    message.headers.has(header) && message.headers.all(header).some((each) => each.toLowerCase() === tag)
  );
}

function expiresOf(message: SipMessage): ReturnType<typeof parseSessionExpires> {
  const value = message.headers.get('Session-Expires');
  return value === undefined ? undefined : parseSessionExpires(value);
}

/** The Min-SE for a 422, when the request's interval is below ours and its sender supports timers (RFC 4028 §9). */
export function tooBriefFor(request: SipRequest, { leastS }: SessionInterval): number | undefined {
  const requested = expiresOf(request);
  const isTooBrief = requested !== undefined && requested.seconds < leastS;
  return isTooBrief && namesOption(request, 'Supported', 'timer') ? leastS : undefined;
}

/** The agreed terms and the timer headers of our 2xx to an INVITE or UPDATE (RFC 4028 §9, table 2). */
export function answerTerms(
  request: SipRequest,
  preferred: SessionInterval,
): { readonly terms: SessionTerms | undefined; readonly headers: HeaderPairs } {
  const requested = expiresOf(request);
  const supports = namesOption(request, 'Supported', 'timer');
  const minS = minSeOf(request);
  if (!supports && (requested === undefined || requested.seconds < preferred.leastS)) {
    return { terms: undefined, headers: [] };
  }
  // RFC 4028 §9: the interval may be lowered, but not below the Min-SE of the request, and never raised.
  const proposedS = Math.max(preferred.requestedS, minS);
  const intervalS = requested === undefined ? proposedS : Math.min(requested.seconds, proposedS);
  // Table 2: we refresh for a peer without timer support; otherwise the request's refresher holds.
  const refresher = supports ? (requested?.refresher ?? 'uac') : 'uas';
  const headers: [string, string][] = [['Session-Expires', `${intervalS};refresher=${refresher}`]];
  if (supports) headers.push(['Require', 'timer']);
  return { terms: { intervalS, minS, weRefresh: refresher === 'uas' }, headers };
}

/** The terms of a 2xx to our INVITE or UPDATE; without Session-Expires the session does not expire (RFC 4028 §7.2). */
export function termsOfAnswer(response: SipResponse, minS: number): SessionTerms | undefined {
  const expires = expiresOf(response);
  if (expires === undefined) return undefined;
  // An answer below the minimum counts as the minimum.
  const intervalS = Math.max(expires.seconds, LEAST_MIN_SE_S);
  return { intervalS, minS, weRefresh: expires.refresher !== 'uas' };
}

/** Session-Expires and Min-SE of our first INVITE (RFC 4028 §7.1); `minS` is the Min-SE of a 422. */
export function firstTermsHeaders(preferred: SessionInterval, minS = LEAST_MIN_SE_S): HeaderPairs {
  return withMinSe([['Session-Expires', String(Math.max(preferred.requestedS, minS))]], minS);
}

/** Session-Expires and Min-SE of a request within the dialog: the agreed interval and refresher (RFC 4028 §7.4). */
export function termsHeaders(terms: SessionTerms | undefined): HeaderPairs {
  if (terms === undefined) return [];
  const { intervalS, minS, weRefresh } = terms;
  const refresher = weRefresh ? 'uac' : 'uas';
  return withMinSe([['Session-Expires', `${Math.max(intervalS, minS)};refresher=${refresher}`]], minS);
}

function withMinSe(headers: HeaderPairs, minS: number): HeaderPairs {
  return minS > LEAST_MIN_SE_S ? [...headers, ['Min-SE', String(minS)]] : headers;
}

/** When to refresh: after half of the interval (RFC 4028 §10). */
export function refreshDelayMs({ intervalS }: SessionTerms): number {
  return intervalS * 500;
}

/** When to end the session: 32 s or a third of the interval before it expires, whichever is less (RFC 4028 §10). */
export function expiryDelayMs({ intervalS }: SessionTerms): number {
  return intervalS * 1000 - Math.min(32_000, Math.floor((intervalS * 1000) / 3));
}
