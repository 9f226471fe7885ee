import type { Flow } from '../message/flow.ts';
import { addressOfHost } from '../message/host.ts';
import type { SipRequest } from '../message/message.ts';
import { parseNameAddr } from '../message/name-addr.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import { parseVia, responseTarget, type Via } from '../message/via.ts';

/** Where a message goes: back on a flow, or to a host (name or address without brackets) that the transport finds or connects to. */
export type SendTarget =
  | { readonly flow: string }
  | { readonly protocol: 'udp' | 'tcp'; readonly host: string; readonly port: number };

/** A target together with what a transaction must know of it. */
export interface Route {
  readonly target: SendTarget;
  readonly protocol: 'udp' | 'tcp';
  readonly reliable: boolean;
}

/** The route of a flow. */
export function routeOfFlow(flow: Flow): Route {
  return { target: { flow: flow.id }, protocol: flow.protocol, reliable: flow.reliable };
}

/**
 * The route that a SIP URI names: its `maddr` or host, its port or 5060, its transport or UDP (RFC 3261 §8.1.2, RFC 3263 §4.1
 * for numeric hosts). Undefined for a URI that is no SIP URI or wants TLS, which must never be sent in the clear.
 */
export function routeOfUri(text: string): Route | undefined {
  const uri = parseSipUri(text);
  if (uri === undefined || uri.scheme === 'sips') return undefined;
  const transport = paramOf(uri.params, 'transport')?.toLowerCase() ?? 'udp';
  if (transport !== 'udp' && transport !== 'tcp') return undefined;
  const host = addressOfHost(paramOf(uri.params, 'maddr') || uri.host);
  return {
    target: { protocol: transport, host, port: uri.port ?? 5060 },
    protocol: transport,
    reliable: transport === 'tcp',
  };
}

/** The URI whose host gets a request outside every dialog: that of its first Route, or the Request-URI (RFC 3261 §8.1.2). */
export function firstHop(request: SipRequest): string {
  const route = request.headers.get('Route');
  return route === undefined ? request.uri : (parseNameAddr(route)?.uri ?? route);
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
