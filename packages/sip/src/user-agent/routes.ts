import { addressOfHost } from '../message/host.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import {
  type HostTarget,
  type Route,
  type Routes,
  type RoutesDeps,
  routeOfFlow,
  routeOfTarget,
  routeOfUri,
  type SendTarget,
} from './send-target.ts';

/** Creates the routes of a user agent. */
export function createRoutes(deps: RoutesDeps): Routes {
  function one(flowId: string | undefined, uri: string): Route | undefined {
    const flow = flowId === undefined ? undefined : deps.flow(flowId);
    return flow ? routeOfFlow(flow) : routeOfUri(uri);
  }

  return {
    one,
    all(flowId, uri, found) {
      const isAlive = flowId !== undefined && deps.flow(flowId) !== undefined;
      if (deps.locate && !isAlive && namesHost(uri)) {
        deps.locate(uri, (targets) => found(targets.map(routeOfTarget)));
        return;
      }
      const route = one(flowId, uri);
      found(route ? [route] : []);
    },
  };
}

/**
 * The routes of a call whose target an outsider chose: nothing is sent to an address that `reaches` refuses, nor to a name without
 * a lookup. The same holds for the peer's later Contact and Record-Route; if these give no allowed route, requests go to the target
 * of the INVITE, or `back` to its source.
 */
export function routesWithin(ways: Routes, reaches: (address: string) => boolean, back?: Route): Routes {
  let last = back;
  const isOpen = ({ target }: Route): boolean => !('host' in target) || isReached(target);
  const isReached = ({ host }: HostTarget): boolean => isAddress(host) && reaches(host);
  return {
    one(flow, uri) {
      const route = ways.one(flow, uri);
      return route && isOpen(route) ? route : last;
    },
    all(flow, uri, found) {
      ways.all(flow, uri, (all) => {
        // One refused address refuses the name: an attacker may mix addresses so that a retry reaches the refused one.
        const open = all.every(isOpen) ? all : [];
        last = open[0] ?? last;
        found(open);
      });
    },
    used(route) {
      last = route;
    },
  };
}

/**
 * The routes of a dialog whose INVITE went to `verified`, an address of a domain over TLS. A hop that is literally this address and port has
 * the identity of the domain: certificates seldom name addresses. Every other hop has its own (RFC 5922 §7.3).
 */
export function routesBesideVerified(routes: Routes, verified: HostTarget | undefined): Routes {
  if (verified?.identity === undefined) return routes;
  const isSame = (target: SendTarget): boolean =>
    'host' in target &&
    target.protocol === verified.protocol &&
    target.host === verified.host &&
    target.port === verified.port &&
    target.identity === target.host;
  return {
    ...routes,
    one(flow, uri) {
      const route = routes.one(flow, uri);
      return route && isSame(route.target) ? routeOfTarget(verified) : route;
    },
  };
}

/** RFC 3263 §4: an address needs no lookup. */
function namesHost(text: string): boolean {
  const uri = parseSipUri(text);
  return uri !== undefined && !isAddress(addressOfHost(paramOf(uri.params, 'maddr') || uri.host));
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);
}
