import type { SipRequest } from '../message/message.ts';

/** Methods that a user agent of this package answers itself or hands to its owner, as they stand in Allow. */
export const ALLOWED_METHODS = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, REFER';

/** Option tags of the extensions that dialogs of this package speak, as they stand in Supported. */
export const SUPPORTED_OPTIONS = 'timer, 100rel, replaces, norefersub';

/** Methods of the SIP registry that are refused where nobody serves them; others are not even recognised. */
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

/** What our first INVITE and our 2xx say of us. */
export const CAPABILITIES: HeaderPairs = [
  ['Allow', ALLOWED_METHODS],
  ['Supported', SUPPORTED_OPTIONS],
];

/** What a re-INVITE or UPDATE says of us: its provisional responses need not be reliable, for it is answered at once. */
export const DIALOG_CAPABILITIES: HeaderPairs = [
  ['Allow', ALLOWED_METHODS],
  ['Supported', 'timer'],
];

/** Header fields in order; a name may appear more than once. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** How a request within a dialog is answered that is neither INVITE nor BYE. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers?: HeaderPairs;
}

/**
 * OPTIONS and INFO get 200, REFER 603; a method that we know gets 405 and one that we do not know 501, both with Allow
 * (RFC 3261 §8.2.1, §21.4.6, §21.5.2).
 */
export function answerPlainRequest(method: string): PlainAnswer {
  const headers: HeaderPairs = [['Allow', ALLOWED_METHODS]];
  if (method === 'INFO') return { status: 200 };
  // Outside an answered call nobody can be transferred.
  if (method === 'REFER') return { status: 603 };
  if (method === 'OPTIONS') return { status: 200, headers: [...headers, ['Accept', 'application/sdp']] };
  return { status: KNOWN_METHODS.has(method) ? 405 : 501, headers };
}

/** The same for a request within a dialog. */
export function answerInDialog(request: SipRequest): PlainAnswer {
  // RFC 6086 §4.2.2: 469 for a package that we did not name, and we name none; keys and the like come without one.
  const isPackaged = request.method === 'INFO' && request.headers.has('Info-Package');
  return isPackaged ? { status: 469, headers: [['Recv-Info', '']] } : answerPlainRequest(request.method);
}

/** The event of an INFO that was answered with 200. */
export function infoEvent(
  request: SipRequest,
  { status }: PlainAnswer,
):
  | { readonly do: 'tell'; readonly event: { readonly type: 'info'; readonly request: SipRequest } }
  | undefined {
  return request.method === 'INFO' && status === 200
    ? { do: 'tell', event: { type: 'info', request } }
    : undefined;
}
