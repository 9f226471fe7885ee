import { createRequest } from '../message/create-request.ts';
import { parseCSeq } from '../message/cseq.ts';
import { createHeaders } from '../message/headers.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { parseNameAddr, tagOf } from '../message/name-addr.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import type { HeaderPairs } from './answers.ts';

/** The state of a dialog (RFC 3261 §12). Its id is Call-ID, local tag and remote tag together. */
export interface Dialog {
  readonly callId: string;
  readonly localTag: string;
  /** Empty when the peer sends no tag, as RFC 2543 elements do (§12.1.1). */
  readonly remoteTag: string;
  /** From of our requests, with its tag. */
  readonly localParty: string;
  /** To of our requests, with its tag. */
  readonly remoteParty: string;
  /** CSeq of our last request; 0 before the first. */
  readonly localCseq: number;
  /** CSeq of the peer's last request; undefined before the first. */
  readonly remoteCseq: number | undefined;
  /** Route values of our requests, the next hop first. */
  readonly routeSet: readonly string[];
  /** The peer's Contact URI. */
  readonly remoteTarget: string;
  /** Whether requests must go over TLS, because the dialog was made with a SIPS URI. */
  readonly secure: boolean;
}

/** A body with its type, for a request within the dialog. */
export interface RequestContent {
  readonly body: string;
  readonly contentType: string;
}

/** The dialog that a 2xx to our INVITE makes (RFC 3261 §12.1.2). */
export function createCallerDialog(invite: SipRequest, response: SipResponse): Dialog {
  const from = invite.headers.get('From') ?? '';
  const to = response.headers.get('To') ?? '';
  return {
    callId: invite.headers.get('Call-ID') ?? '',
    localTag: tagOf(from) ?? '',
    remoteTag: tagOf(to) ?? '',
    localParty: from,
    remoteParty: to,
    localCseq: cseqOf(invite),
    remoteCseq: undefined,
    // §12.1.2: Record-Route of the response, taken in reverse order.
    routeSet: [...response.headers.all('Record-Route')].reverse(),
    remoteTarget: contactUri(response) ?? invite.uri,
    secure: isSecure(invite.uri),
  };
}

/**
 * What is left of an INVITE that has a final response: the fields that name its dialogs, and the credentials that an ACK repeats (RFC 3261
 * §22.1). A call keeps it for 32 s after its answer.
 */
export function decidedInvite(invite: SipRequest): SipRequest {
  const headers = createHeaders();
  for (const name of keptFields) for (const value of invite.headers.all(name)) headers.append(name, value);
  return { kind: 'request', method: invite.method, uri: invite.uri, headers, body: '' };
}

const keptFields = ['From', 'To', 'Call-ID', 'CSeq', 'Authorization', 'Proxy-Authorization'];

/** The dialog that our response with `localTag` to a received INVITE makes (RFC 3261 §12.1.1). */
export function createCalleeDialog(invite: SipRequest, localTag: string): Dialog {
  const from = invite.headers.get('From') ?? '';
  return {
    callId: invite.headers.get('Call-ID') ?? '',
    localTag,
    remoteTag: tagOf(from) ?? '',
    localParty: `${invite.headers.get('To') ?? ''};tag=${localTag}`,
    remoteParty: from,
    localCseq: 0,
    remoteCseq: cseqOf(invite),
    // §12.1.1: Record-Route of the request, in its order.
    routeSet: invite.headers.all('Record-Route'),
    remoteTarget: contactUri(invite) ?? parseNameAddr(from)?.uri ?? 'sip:invalid.invalid',
    secure: isSecure(invite.uri),
  };
}

/** Builds the next request within the dialog (RFC 3261 §12.2.1.1), without Via and Contact, which its sender adds. */
export function dialogRequest(
  dialog: Dialog,
  method: string,
  content?: RequestContent,
  headers?: HeaderPairs,
): { dialog: Dialog; request: SipRequest } {
  const cseq = dialog.localCseq + 1;
  return { dialog: { ...dialog, localCseq: cseq }, request: build(dialog, method, cseq, content, headers) };
}

/** The ACK of a 2xx to our INVITE (RFC 3261 §13.2.2.4): a request of the dialog with the CSeq number of the INVITE. */
export function ackOfSuccess(dialog: Dialog, response: SipResponse): SipRequest {
  return build(dialog, 'ACK', cseqOf(response));
}

function build(
  dialog: Dialog,
  method: string,
  cseq: number,
  content?: RequestContent,
  headers?: HeaderPairs,
): SipRequest {
  const { uri, routes } = routing(dialog);
  return createRequest({
    method,
    uri,
    from: dialog.localParty,
    to: dialog.remoteParty,
    callId: dialog.callId,
    cseq,
    routes,
    ...(headers && { headers }),
    ...content,
  });
}

/** Request-URI and Route of the dialog's requests: loose routing, or strict when the first hop lacks `lr` (§12.2.1.1). */
function routing(dialog: Dialog): { uri: string; routes: readonly string[] } {
  const { routeSet, remoteTarget } = dialog;
  const first = routeSet[0];
  if (first === undefined) return { uri: remoteTarget, routes: [] };
  const firstUri = routeUri(first);
  const parsed = parseSipUri(firstUri);
  const isLoose = parsed === undefined || paramOf(parsed.params, 'lr') !== undefined;
  if (isLoose) return { uri: remoteTarget, routes: routeSet };
  return { uri: firstUri, routes: [...routeSet.slice(1), `<${remoteTarget}>`] };
}

/** The URI whose host gets the dialog's requests: the first of the route set, or the remote target (§8.1.2). */
export function nextHop(dialog: Dialog): string {
  const first = dialog.routeSet[0];
  return first === undefined ? dialog.remoteTarget : routeUri(first);
}

/** Whether a request of the peer is out of order, so that it MUST be answered with 500 (RFC 3261 §12.2.2). */
export function isOutOfOrder(dialog: Dialog, request: SipRequest): boolean {
  return dialog.remoteCseq !== undefined && cseqOf(request) < dialog.remoteCseq;
}

/** The dialog after a request of the peer was accepted. */
export function withRemoteCseq(dialog: Dialog, request: SipRequest): Dialog {
  return { ...dialog, remoteCseq: cseqOf(request) };
}

/** The dialog with the remote target of a target refresh request or its 2xx (RFC 3261 §12.2.1.2, §12.2.2). */
export function refreshTarget(dialog: Dialog, message: SipMessage): Dialog {
  const target = contactUri(message);
  return target === undefined || target === dialog.remoteTarget
    ? dialog
    : { ...dialog, remoteTarget: target };
}

/** The CSeq number of a message; -1, which equals no other, when it is missing or malformed. */
export function cseqOf(message: SipMessage): number {
  const value = message.headers.get('CSeq');
  return (value === undefined ? undefined : parseCSeq(value)?.seq) ?? -1;
}

function contactUri(message: SipMessage): string | undefined {
  const contact = message.headers.get('Contact');
  const uri = contact === undefined ? undefined : parseNameAddr(contact)?.uri;
  // Requests can go to SIP URIs only.
  return uri !== undefined && parseSipUri(uri) ? uri : undefined;
}

function routeUri(route: string): string {
  return parseNameAddr(route)?.uri ?? route;
}

function isSecure(uri: string): boolean {
  return uri.slice(0, 5).toLowerCase() === 'sips:';
}
