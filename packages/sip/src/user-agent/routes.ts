import { addressOfHost } from '../message/host.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import { type HostTarget, type Route, routeOfFlow, routeOfTarget, routeOfUri } from './send-target.ts';
import type { UserAgentDeps } from './user-agent-options.ts';

/** Routes to a peer: its flow while it is alive, else those of a URI. */
export interface Routes {
  /** The route of a dialog, whose peer was located before; undefined if there is none. */
  one(flow: string | undefined, uri: string): Route | undefined;
  /** The routes of a new request, best first, possibly none: calls `found` once, within the call unless DNS is needed. */
  all(flow: string | undefined, uri: string, found: (routes: readonly Route[]) => void): void;
}

/** Creates the routes of a user agent. */
export function createRoutes(deps: Pick<UserAgentDeps, 'flow' | 'locate'>): Routes {
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

/** The route lookup of a leg. */
export interface LegRoutes {
  route(flow: string | undefined, uri: string): Route | undefined;
  routes(flow: string | undefined, uri: string, found: (routes: readonly Route[]) => void): void;
}

/**
 * The routes of a call whose target an outsider chose: nothing is sent to an address that `reaches` refuses, nor to a name without
 * a lookup. The same holds for the peer's later Contact and Record-Route; if these give no allowed route, requests go to the target
 * of the INVITE, or `back` to its source.
 */
export function routesWithin(
  ways: LegRoutes,
  reaches: (address: string) => boolean,
  back?: Route,
): LegRoutes {
  let last = back;
  const isOpen = ({ target }: Route): boolean => !('host' in target) || isReached(target);
  const isReached = ({ host }: HostTarget): boolean => isAddress(host) && reaches(host);
  return {
    route(flow, uri) {
      const route = ways.route(flow, uri);
      return route && isOpen(route) ? route : last;
    },
    routes(flow, uri, found) {
      ways.routes(flow, uri, (all) => {
        // One refused address refuses the name: an attacker may mix addresses so that a retry reaches the refused one.
        const open = all.every(isOpen) ? all : [];
        last = open[0] ?? last;
        found(open);
      });
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
