import type { DialTarget } from '@jackfield/ports';
import {
  type IncomingInvite,
  type Protocol,
  paramOf,
  parseNameAddr,
  parseSipUri,
  parseVia,
} from '@jackfield/sip';

/** The protocol of a flow; undefined for a flow that is closed. */
export type ProtocolOf = (flow: string) => Protocol | undefined;

/** Whether the last hop of an INVITE to us was encrypted. */
export function cameInPrivate(
  { flow, request }: Pick<IncomingInvite, 'flow' | 'request'>,
  protocolOf: ProtocolOf,
): boolean {
  const protocol = protocolOf(flow);
  if (protocol === 'tls' || protocol === 'wss') return true;
  // Behind a proxy that ends TLS a phone writes WSS where we receive WS: the phone has checked the proxy's certificate.
  return protocol === 'ws' && parseVia(request.headers.get('Via') ?? '')?.transport === 'WSS';
}

/** Whether the first hop to a target is encrypted, over each flow of its phone. */
export function isReachedInPrivate(
  { flow, uri, path = [], otherFlows = [] }: DialTarget,
  protocolOf: ProtocolOf,
): boolean {
  if (!otherFlows.every((other) => isReachedInPrivate(other, protocolOf))) return false;
  const protocol = flow === undefined ? undefined : protocolOf(flow);
  if (protocol !== undefined) return protocol === 'tls' || protocol === 'wss';
  const [first] = path;
  const parsed = parseSipUri(first === undefined ? uri : (parseNameAddr(first)?.uri ?? ''));
  return parsed?.scheme === 'sips' || paramOf(parsed?.params ?? [], 'transport')?.toLowerCase() === 'tls';
}

/** Whether the phone behind a flow runs in a browser: SIP over WebSocket (RFC 7118). */
export function isOfBrowser(flow: string | undefined, protocolOf: ProtocolOf): boolean {
  const protocol = flow === undefined ? undefined : protocolOf(flow);
  return protocol === 'ws' || protocol === 'wss';
}
