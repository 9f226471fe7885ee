import type { SipRequest } from '../message/message.ts';

/** The Allow header: methods that the user agent answers itself or passes to its owner. */
export const ALLOWED_METHODS = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, REFER';

/** The Supported header: option tags of the extensions that dialogs implement. */
export const SUPPORTED_OPTIONS = 'timer, 100rel, replaces, norefersub';

/** Registered SIP methods that get 405 when unserved; all others get 501. */
const KNOWN_METHODS = new Set([
  'REGISTER',
  'MESSAGE',
  'NOTIFY',
  'PRACK',
  'PUBLISH',
  'REFER',
  'SUBSCRIBE',
  'UPDATE',
]);

/** Capabilities in our first INVITE and our 2xx. */
export const CAPABILITIES: HeaderPairs = [
  ['Allow', ALLOWED_METHODS],
  ['Supported', SUPPORTED_OPTIONS],
];

/** Capabilities in a re-INVITE or UPDATE, without 100rel: the peer answers it at once. */
export const DIALOG_CAPABILITIES: HeaderPairs = [
  ['Allow', ALLOWED_METHODS],
  ['Supported', 'timer'],
];

/** Header fields in order; a name may appear more than once. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** The answer to a request other than INVITE and BYE. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers?: HeaderPairs;
}

/**
 * OPTIONS and INFO get 200, REFER 603; a registered method gets 405 and an unknown one 501, both with Allow
 * (RFC 3261 §8.2.1, §21.4.6, §21.5.2).
 */
export function answerPlainRequest(method: string): PlainAnswer {
  const headers: HeaderPairs = [['Allow', ALLOWED_METHODS]];
  if (method === 'INFO') return { status: 200 };
  // A transfer needs an answered call.
  if (method === 'REFER') return { status: 603 };
  if (method === 'OPTIONS') return { status: 200, headers: [...headers, ['Accept', 'application/sdp']] };
  return { status: KNOWN_METHODS.has(method) ? 405 : 501, headers };
}

/** The answer to such a request within a dialog. */
export function answerInDialog(request: SipRequest): PlainAnswer {
  // RFC 6086 §4.2.2: 469 for a package that our Recv-Info does not name, and it names none; phones send keys without a package.
  const isPackaged = request.method === 'INFO' && request.headers.has('Info-Package');
  return isPackaged ? { status: 469, headers: [['Recv-Info', '']] } : answerPlainRequest(request.method);
}

/** The event for an INFO that got 200. */
export function infoEvent(
  request: SipRequest,
  { status }: PlainAnswer,
):
  | { readonly do: 'emit'; readonly event: { readonly type: 'info'; readonly request: SipRequest } }
  | undefined {
  return request.method === 'INFO' && status === 200
    ? { do: 'emit', event: { type: 'info', request } }
    : undefined;
}
