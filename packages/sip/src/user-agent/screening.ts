import { ALLOWED_METHODS, answerPlainRequest, type HeaderPairs } from '../dialog/answers.ts';
import type { SipRequest } from '../message/message.ts';
import { uriScheme } from '../message/uri.ts';

/** A refusal that needs nobody's opinion. */
export interface Refusal {
  readonly status: number;
  readonly headers?: HeaderPairs;
}

/** What the product serves beyond calls. */
export interface Screen {
  /** Methods outside a dialog that the product answers, such as REGISTER and OPTIONS. */
  readonly methods: ReadonlySet<string>;
  /** Option tags that it supports. */
  readonly supported: ReadonlySet<string>;
}

/** Methods that mean something within a dialog only. */
const DIALOG_METHODS = new Set(['BYE', 'INFO', 'UPDATE', 'PRACK', 'NOTIFY']);

/**
 * Inspects a new request outside every dialog in the order of RFC 3261 §8.2: method, Request-URI and To, required extensions.
 * `hasToTag` means that it names a dialog that we do not have.
 */
export function screenRequest(request: SipRequest, hasToTag: boolean, screen: Screen): Refusal | undefined {
  const { method } = request;
  // §12.2.2: a To tag that fits no dialog is answered with 481; registrars see stale ones from phones and do not care.
  if ((hasToTag && method !== 'REGISTER') || DIALOG_METHODS.has(method)) return { status: 481 };
  if (method !== 'INVITE' && !screen.methods.has(method)) return refuseMethod(method, screen);
  const scheme = uriScheme(request.uri);
  // §8.2.2.1
  if (scheme !== 'sip' && scheme !== 'sips' && scheme !== 'tel') return { status: 416 };
  return screenExtensions(request, screen);
}

/** RFC 3261 §8.2.2.3: option tags in Require that are not understood are named in Unsupported of a 420. */
export function screenExtensions(request: SipRequest, screen: Screen): Refusal | undefined {
  if (!request.headers.has('Require')) return undefined;
  const unknown = request.headers.all('Require').filter((tag) => !screen.supported.has(tag.toLowerCase()));
  return unknown.length === 0 ? undefined : { status: 420, headers: [['Unsupported', unknown.join(', ')]] };
}

/** RFC 3261 §8.2.1: 405 with Allow for a method that we know, 501 for others. */
function refuseMethod(method: string, screen: Screen): Refusal {
  const methods = new Set([...ALLOWED_METHODS.split(', '), ...screen.methods]);
  const { status } = answerPlainRequest(method);
  return { status: status === 501 ? 501 : 405, headers: [['Allow', [...methods].join(', ')]] };
}
