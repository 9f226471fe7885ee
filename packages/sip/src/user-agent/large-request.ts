import type { SipRequest } from '../message/message.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import { firstHop, type Route, routeOfTarget } from './send-target.ts';

/** RFC 3261 §18.1.1: the largest request that UDP carries where nobody knows the path MTU. */
const LARGEST_DATAGRAM = 1300;

/** What its sender still adds: a Via with a branch, Contact, User-Agent. */
const STILL_TO_COME = 160;

/**
 * The routes of a request by its size (RFC 3261 §18.1.1): what is too large for a datagram goes over TCP to the same place, and over UDP
 * only when that cannot be had. A flow over UDP stays what it is, and so does a place whose URI insists on UDP.
 */
export function routesForSize(routes: readonly Route[], request: SipRequest): readonly Route[] {
  if (!routes.some(isUdpPlace) || sizeOf(request) <= LARGEST_DATAGRAM) return routes;
  const uri = parseSipUri(firstHop(request));
  if (uri && paramOf(uri.params, 'transport')?.toLowerCase() === 'udp') return routes;
  return routes.flatMap((route) => {
    const { target } = route;
    return isUdpPlace(route) && 'host' in target
      ? [routeOfTarget({ protocol: 'tcp', host: target.host, port: target.port }), route]
      : [route];
  });
}

function isUdpPlace({ protocol, target }: Route): boolean {
  return protocol === 'udp' && 'host' in target;
}

function sizeOf({ uri, headers, body }: SipRequest): number {
  let size = STILL_TO_COME + uri.length + body.length;
  for (const [name, value] of headers.entries()) size += name.length + value.length + 4;
  return size;
}
