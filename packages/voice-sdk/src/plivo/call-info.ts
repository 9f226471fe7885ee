import type { Call } from '../call/call.ts';
import type { CallEnd } from '../call/call-state.ts';

/** A call as the events of the hosted SDK describe it. */
export interface CallInfo {
  readonly callUUID: string;
  readonly direction: 'incoming' | 'outgoing';
  readonly src: string;
  readonly dest: string;
  readonly state: string;
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly stirShakenState: string;
  readonly originator: string;
  readonly protocol: string;
  readonly reason: string;
  readonly code: number;
}

/** Why a call ended, in the hosted SDK's words. */
export interface EndWords {
  readonly originator: 'local' | 'remote';
  readonly cause: string;
  readonly protocol: string;
  readonly code: number;
}

/** A call, its state and its end for an event. */
export function callInfoOf(
  call: Call,
  user: string,
  headers: Readonly<Record<string, string>>,
  state: string,
  end: EndWords = { originator: 'local', cause: 'none', protocol: 'none', code: -1 },
): CallInfo {
  const { isIncoming, peer } = call;
  return {
    callUUID: call.id ?? '',
    direction: isIncoming ? 'incoming' : 'outgoing',
    src: isIncoming ? peer.number : user,
    dest: isIncoming ? user : peer.number,
    state,
    extraHeaders: headers,
    stirShakenState: 'Not applicable',
    originator: end.originator,
    protocol: end.protocol,
    reason: end.cause,
    code: end.code,
  };
}

/** The cause of an end by its SIP status, as JsSIP names it, on which the hosted SDK is built. */
export function endWordsOf({ by, status = 0 }: CallEnd): EndWords {
  const sip = (cause: string, originator: 'local' | 'remote' = 'remote', code = status): EndWords => ({
    originator,
    cause,
    protocol: code > 0 ? 'SIP' : 'none',
    code: code > 0 ? code : -1,
  });
  switch (by) {
    case 'local':
      return sip('Terminated', 'local');
    case 'remote':
      return sip('Terminated');
    case 'cancelled':
      return sip('Canceled', 'remote', 487);
    case 'media-failed':
      return sip('User Denied Media Access', 'local');
    case 'connection-lost':
      return sip('Connection Error', 'local');
    case 'rejected':
      return sip(causeOf(status));
  }
}

/** The cause of a SIP status. */
export function causeOf(status: number): string {
  return causes.find(([, statuses]) => statuses.includes(status))?.[0] ?? 'SIP Failure Code';
}

const causes: readonly (readonly [cause: string, statuses: readonly number[]])[] = [
  ['Redirected', [300, 301, 302, 305, 380]],
  ['Busy', [486, 600]],
  ['Rejected', [403, 603]],
  ['Not Found', [404, 604]],
  ['Unavailable', [480, 410, 408, 430]],
  ['Address Incomplete', [484, 424]],
  ['Incompatible SDP', [488, 606]],
  ['Authentication Error', [401, 407]],
  ['Canceled', [487]],
  ['Connection Error', [0]],
];

/** Errors of tokens by their codes (docs/interface/client-tokens.md#on-sip). */
const tokenErrors: Readonly<Record<number, string>> = {
  10001: 'INVALID_ACCESS_TOKEN',
  10002: 'INVALID_ACCESS_TOKEN_HEADER',
  10003: 'INVALID_ACCESS_TOKEN_ISSUER',
  10004: 'INVALID_ACCESS_TOKEN_SUBJECT',
  10005: 'ACCESS_TOKEN_NOT_VALID_YET',
  10006: 'ACCESS_TOKEN_EXPIRED',
  10007: 'INVALID_ACCESS_TOKEN_SIGNATURE',
  10008: 'INVALID_ACCESS_TOKEN_GRANTS',
  10009: 'EXPIRATION_EXCEEDS_MAX_ALLOWED_TIME',
  10010: 'MAX_ALLOWED_LOGIN_REACHED',
};

export function tokenErrorOf(code: number): string {
  return tokenErrors[code] ?? 'Unauthorised';
}
