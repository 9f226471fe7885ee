import type { Flow, Protocol } from '../message/flow.ts';
import { addressOfHost } from '../message/host.ts';
import type { SipRequest } from '../message/message.ts';
import { parseNameAddr } from '../message/name-addr.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri, type SipUri } from '../message/uri.ts';
import { parseVia, responseTarget, type Via } from '../message/via.ts';

/** Where a message goes: back on a flow, or to a host (name or address without brackets) that the transport finds or connects to. */
export type SendTarget = { readonly flow: string } | PlaceTarget;

/** A place that is found or connected to. */
export interface PlaceTarget {
  readonly protocol: 'udp' | 'tcp' | 'tls';
  readonly host: string;
  readonly port: number;
  /** TLS: the domain that the peer's certificate must name (RFC 5922 §7.3); the host when absent. */
  readonly identity?: string;
}

/** A target together with what a transaction must know of it. */
export interface Route {
  readonly target: SendTarget;
  readonly protocol: Protocol;
  readonly reliable: boolean;
}

/** The route of a flow. */
export function routeOfFlow(flow: Flow): Route {
  return { target: { flow: flow.id }, protocol: flow.protocol, reliable: flow.reliable };
}

/**
 * The route that a SIP URI names: its `maddr` or host, its port or the default one, its transport or UDP (RFC 3261 §8.1.2,
 * RFC 3263 §4.1 for numeric hosts). Undefined for a URI that is no SIP URI, and for WebSocket, which a server cannot open.
 */
export function routeOfUri(text: string): Route | undefined {
  const uri = parseSipUri(text);
  if (uri === undefined) return undefined;
  const protocol = protocolOfUri(uri);
  if (protocol === undefined) return undefined;
  const host = addressOfHost(paramOf(uri.params, 'maddr') || uri.host);
  const at = { host, port: uri.port ?? defaultPort(protocol) };
  return routeOfTarget(
    protocol === 'tls' ? { protocol, ...at, identity: addressOfHost(uri.host) } : { protocol, ...at },
  );
}

/** The route to a place. */
export function routeOfTarget(target: PlaceTarget): Route {
  const { protocol } = target;
  return { target, protocol, reliable: protocol !== 'udp' };
}

/** A sips URI is never sent in the clear: over TCP it means TLS, and over UDP nothing (RFC 3261 §26.2.2). */
function protocolOfUri(uri: SipUri): 'udp' | 'tcp' | 'tls' | undefined {
  const named = paramOf(uri.params, 'transport')?.toLowerCase();
  if (uri.scheme === 'sips')
    return named === undefined || named === 'tcp' || named === 'tls' ? 'tls' : undefined;
  if (named === undefined) return 'udp';
  return named === 'udp' || named === 'tcp' || named === 'tls' ? named : undefined;
}

function defaultPort(protocol: Protocol): number {
  return protocol === 'tls' ? 5061 : 5060;
}

/** The URI whose host gets a request outside every dialog: that of its first Route, or the Request-URI (RFC 3261 §8.1.2). */
export function firstHop(request: SipRequest): string {
  const route = request.headers.get('Route');
  return route === undefined ? request.uri : (parseNameAddr(route)?.uri ?? route);
}

/**
 * Where a response goes whose connection is gone: a new one to where the sender says that it listens, at the address it
 * came from (RFC 3261 §18.2.2). Undefined where there is no such place, as behind a WebSocket.
 */
export function targetOfLostFlow(via: Via): SendTarget | undefined {
  const { protocol, host, port } = responseTarget(via);
  if (protocol === 'tcp') return { protocol, host, port };
  // RFC 5922 §7.3: whoever sits there must be who the sender said it was.
  if (protocol === 'tls') return { protocol, host, port, identity: addressOfHost(via.host) };
  return undefined;
}

/**
 * Where the responses to a request go, whose top Via was `via` (RFC 3261 §18.2.2, RFC 3581 §4): over a connection responses go back on it. Over UDP they go to the source when the sender
 * asked for that or sends from the port that it names, else to the port of sent-by.
 */
export function targetOf(request: SipRequest, via: Via, flow: Flow): SendTarget {
  if (flow.reliable) return { flow: flow.id };
  if (paramOf(via.params, 'rport') !== undefined || (via.port ?? 5060) === flow.remotePort)
    return { flow: flow.id };
  const stamped = parseVia(request.headers.get('Via') ?? '') ?? via;
  const { host, port } = responseTarget(stamped);
  return { protocol: 'udp', host, port };
}
