import type { Flow, Protocol } from '../message/flow.ts';
import { addressOfHost } from '../message/host.ts';
import type { SipRequest } from '../message/message.ts';
import { parseNameAddr } from '../message/name-addr.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri, type SipUri } from '../message/uri.ts';
import { parseVia, responseTarget, type Via } from '../message/via.ts';

/** The target of a message: a flow, or a host (name or address without brackets) that the transport resolves or connects to. */
export type SendTarget = { readonly flow: string } | HostTarget;

/** A host, port and protocol that the transport resolves or connects to. */
export interface HostTarget {
  readonly protocol: 'udp' | 'tcp' | 'tls';
  readonly host: string;
  readonly port: number;
  /** TLS: the domain that the peer's certificate must name (RFC 5922 §7.3); the host when absent. */
  readonly identity?: string;
}

/** A target with the properties that a transaction needs. */
export interface Route {
  readonly target: SendTarget;
  readonly protocol: Protocol;
  readonly reliable: boolean;
  /** The address of the target, or its name where the transport resolves it. */
  readonly host?: string;
}

/** Routes to a peer: its flow while it is alive, else those of a URI. */
export interface Routes {
  /** The route of a dialog, whose peer was located before; undefined if there is none. */
  one(flow: string | undefined, uri: string): Route | undefined;
  /** The routes of a new request, best first, possibly none: calls `found` once, within the call unless DNS is needed. */
  all(flow: string | undefined, uri: string, found: (routes: readonly Route[]) => void): void;
  /** A new request went over this route of several. */
  used?(route: Route): void;
}

/** What routes need: see `UserAgentDeps`. */
export interface RoutesDeps {
  /** The flow of that id while it is alive. */
  flow(id: string): Flow | undefined;
  /**
   * Locates a URI whose host is a name (RFC 3263): calls `found` once, at once or later, with targets best first; the next is tried
   * when one fails. Without it the transport gets the name as host.
   */
  locate?(uri: string, found: (targets: readonly HostTarget[]) => void): void;
}

/** The route of a flow. */
export function routeOfFlow(flow: Flow): Route {
  const { id, protocol, reliable, remoteAddress } = flow;
  return { target: { flow: id }, protocol, reliable, host: remoteAddress };
}

/**
 * The route of a SIP URI: its `maddr` or host, its port or the default one, its transport or UDP (RFC 3261 §8.1.2,
 * RFC 3263 §4.1 for numeric hosts). Undefined for any other URI, and for WebSocket, which a server cannot open.
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

/** The route to a host. */
export function routeOfTarget(target: HostTarget): Route {
  const { protocol } = target;
  return { target, protocol, reliable: protocol !== 'udp', host: target.host };
}

/** A sips URI is never sent unencrypted: with TCP it means TLS, and with UDP it has no route (RFC 3261 §26.2.2). */
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

/** The URI whose host gets a request outside every dialog: its first Route, or the Request-URI (RFC 3261 §8.1.2). */
export function firstHop(request: SipRequest): string {
  const route = request.headers.get('Route');
  return route === undefined ? request.uri : (parseNameAddr(route)?.uri ?? route);
}

/**
 * The target of a response whose connection is closed: a new connection to the source address, at the sent-by port
 * (RFC 3261 §18.2.2). Undefined if there is none, as behind a WebSocket.
 */
export function targetOfLostFlow(via: Via): SendTarget | undefined {
  const { protocol, host, port } = responseTarget(via);
  if (protocol === 'tcp') return { protocol, host, port };
  // RFC 5922 §7.3: the peer's certificate must name the sent-by host.
  if (protocol === 'tls') return { protocol, host, port, identity: addressOfHost(via.host) };
  return undefined;
}

/**
 * The target of responses to a request whose top Via was `via` (RFC 3261 §18.2.2, RFC 3581 §4): its connection. Over UDP the
 * source, if the sender requested `rport` or sends from its sent-by port, else the sent-by port.
 */
export function targetOf(request: SipRequest, via: Via, flow: Flow): SendTarget {
  // Not by `reliable`: a connection of another node is not reliable, and still a connection.
  if (flow.protocol !== 'udp' || sendsFromItsPort(via, flow)) return { flow: flow.id };
  const stamped = parseVia(request.headers.get('Via') ?? '') ?? via;
  const { host, port } = responseTarget(stamped);
  return { protocol: 'udp', host, port };
}

/**
 * Whether requests reach the sender of a request, whose top Via was `via`, over its flow. Over UDP it may listen at another port than it sends from (RFC 3261
 * §18.1.1), and then its Contact has the port (§12.2.1.1); but only the flow passes a NAT, behind which sent-by is another address.
 */
export function isReachedOver(flow: Flow, via: Via): boolean {
  if (flow.protocol !== 'udp') return true;
  return sendsFromItsPort(via, flow) || addressOfHost(via.host) !== flow.remoteAddress;
}

/** The sender requested `rport` (RFC 3581 §4), or sends from its sent-by port. */
function sendsFromItsPort(via: Via, { remotePort }: Flow): boolean {
  return paramOf(via.params, 'rport') !== undefined || (via.port ?? 5060) === remotePort;
}
