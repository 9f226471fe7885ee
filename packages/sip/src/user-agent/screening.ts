import { ALLOWED_METHODS, answerPlainRequest, type HeaderPairs } from '../dialog/answers.ts';
import { type SessionInterval, tooBriefFor } from '../dialog/session-timer.ts';
import type { SipRequest } from '../message/message.ts';
import { splitUri, uriScheme } from '../message/uri.ts';

/** A refusal by the stack itself. */
export interface Refusal {
  readonly status: number;
  readonly headers?: HeaderPairs;
}

/** The methods and extensions that the product serves beyond calls. */
export interface Screen {
  /** Methods outside a dialog that the product answers, such as REGISTER and OPTIONS. */
  readonly methods: ReadonlySet<string>;
  /** Option tags that it supports. */
  readonly supported: ReadonlySet<string>;
  readonly sessionInterval: SessionInterval;
  /** Refuses a body that is no session. */
  screenContent(request: SipRequest): Refusal | undefined;
}

/** Methods for use within a dialog only. */
const DIALOG_METHODS = new Set(['BYE', 'INFO', 'UPDATE', 'PRACK', 'NOTIFY']);

/**
 * Inspects a new request outside every dialog in the order of RFC 3261 §8.2: method, Request-URI and To, required extensions.
 * `hasToTag` means that it names an unknown dialog.
 */
export function screenRequest(request: SipRequest, hasToTag: boolean, screen: Screen): Refusal | undefined {
  const { method } = request;
  // §12.2.2: a To tag of no known dialog gets 481. REGISTER is exempt: phones send stale tags.
  if ((hasToTag && method !== 'REGISTER') || DIALOG_METHODS.has(method)) return { status: 481 };
  // RFC 3515 §2.4.2: a REFER outside a call is declined.
  if (method === 'REFER' && !screen.methods.has(method)) return { status: 603 };
  if (method !== 'INVITE' && !screen.methods.has(method)) return refuseMethod(method, screen);
  const scheme = uriScheme(request.uri);
  // §8.2.2.1
  if (!isSip(scheme) && scheme !== 'tel') return { status: 416 };
  if (isSip(scheme) && !isRequestUri(request.uri)) return { status: 400 };
  // §10.2: the address of record in To is a SIP or SIPS URI; RFC 4475 §3.3.4.
  if (method === 'REGISTER' && !isSip(uriScheme(request.headers.address('To')?.uri ?? '')))
    return { status: 400 };
  return screenExtensions(request, screen);
}

/** 501 for a malformed request with an unknown method: the method fails even if the message is corrected (RFC 4475 §3.1.2.18). */
export function screenMalformed(request: SipRequest, screen: Screen): Refusal | undefined {
  const { method } = request;
  if (method === 'INVITE' || method === 'CANCEL' || screen.methods.has(method)) return undefined;
  const refusal = refuseMethod(method, screen);
  return refusal.status === 501 ? refusal : undefined;
}

function isSip(scheme: string | undefined): boolean {
  return scheme === 'sip' || scheme === 'sips';
}

/** RFC 3261 §19.1.1: a Request-URI is a SIP URI without headers (RFC 4475 §3.1.2.11). */
function isRequestUri(text: string): boolean {
  return splitUri(text)?.headers.length === 0;
}

/**
 * RFC 3261 §8.2.2.3: 420 with Unsupported lists the unknown option tags of Require. After them come the session timer and the
 * body (§8.2.3).
 */
export function screenExtensions(request: SipRequest, screen: Screen): Refusal | undefined {
  if (request.headers.has('Require')) {
    const unknown = request.headers.all('Require').filter((tag) => !screen.supported.has(tag.toLowerCase()));
    if (unknown.length > 0) return { status: 420, headers: [['Unsupported', unknown.join(', ')]] };
  }
  if (request.method !== 'INVITE' && request.method !== 'UPDATE') return undefined;
  // RFC 4028 §9: 422 with the least interval that we accept.
  const leastS = tooBriefFor(request, screen.sessionInterval);
  if (leastS !== undefined) return { status: 422, headers: [['Min-SE', String(leastS)]] };
  return screen.screenContent(request);
}

/** RFC 3261 §8.2.1: 405 with Allow for a registered method, 501 for others. */
function refuseMethod(method: string, screen: Screen): Refusal {
  const methods = new Set([...ALLOWED_METHODS.split(', '), ...screen.methods]);
  const { status } = answerPlainRequest(method);
  return { status: status === 501 ? 501 : 405, headers: [['Allow', [...methods].join(', ')]] };
}
