import type { SipRequest } from '../message/message.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import { firstHop, type Route, routeOfTarget } from './send-target.ts';

/** RFC 3261 §18.1.1: the largest request over UDP, in bytes, when the path MTU is unknown. */
const LARGEST_DATAGRAM = 1300;

/** Bytes of the headers that the sender still adds: a Via with a branch, Contact, User-Agent. */
const STILL_TO_COME = 160;

/**
 * The routes of a request by its size (RFC 3261 §18.1.1): a request too large for a datagram goes over TCP to the same target, and
 * over UDP only if TCP fails. A flow over UDP keeps UDP, and so does a URI with `transport=udp`.
 */
export function routesForSize(routes: readonly Route[], request: SipRequest): readonly Route[] {
  if (!routes.some(isUdpHost) || sizeOf(request) <= LARGEST_DATAGRAM) return routes;
  const uri = parseSipUri(firstHop(request));
  if (uri && paramOf(uri.params, 'transport')?.toLowerCase() === 'udp') return routes;
  return routes.flatMap((route) => {
    const { target } = route;
    return isUdpHost(route) && 'host' in target
      ? [routeOfTarget({ protocol: 'tcp', host: target.host, port: target.port }), route]
      : [route];
  });
}

function isUdpHost({ protocol, target }: Route): boolean {
  return protocol === 'udp' && 'host' in target;
}

function sizeOf({ uri, headers, body }: SipRequest): number {
  let size = STILL_TO_COME + uri.length + body.length;
  for (const [name, value] of headers.entries()) size += name.length + value.length + 4;
  return size;
}
