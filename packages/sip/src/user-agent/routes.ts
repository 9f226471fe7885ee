import { addressOfHost } from '../message/host.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import { type PlaceTarget, type Route, routeOfFlow, routeOfTarget, routeOfUri } from './send-target.ts';
import type { UserAgentDeps } from './user-agent-options.ts';

/** Ways to a peer: its flow while that is alive, else where a URI leads. */
export interface Routes {
  /** Of a dialog, whose peer was found before; undefined when there is none. */
  one(flow: string | undefined, uri: string): Route | undefined;
  /** Of a new request: calls `found` once, within the call unless DNS has to be asked; best first, none when there is none. */
  all(flow: string | undefined, uri: string, found: (routes: readonly Route[]) => void): void;
}

/** The routes of a user agent. */
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

/** How a leg asks for its ways. */
export interface LegRoutes {
  route(flow: string | undefined, uri: string): Route | undefined;
  routes(flow: string | undefined, uri: string, found: (routes: readonly Route[]) => void): void;
}

/**
 * The ways of a call to somebody who may have named any address: nothing is sent to one that `reaches` refuses, nor to a name that
 * was not looked up. What the peer says of itself later (Contact, Record-Route) is held against the same; where it leads nowhere,
 * requests go where the INVITE went, or `back` where it came from.
 */
export function routesWithin(
  ways: LegRoutes,
  reaches: (address: string) => boolean,
  back?: Route,
): LegRoutes {
  let last = back;
  const isOpen = ({ target }: Route): boolean => !('host' in target) || isReached(target);
  const isReached = ({ host }: PlaceTarget): boolean => isAddress(host) && reaches(host);
  return {
    route(flow, uri) {
      const route = ways.route(flow, uri);
      return route && isOpen(route) ? route : last;
    },
    routes(flow, uri, found) {
      ways.routes(flow, uri, (all) => {
        // One that is closed condemns the name: whoever mixes them wants the other one to be tried next.
        const open = all.every(isOpen) ? all : [];
        last = open[0] ?? last;
        found(open);
      });
    },
  };
}

/** RFC 3263 §4: an address leaves nothing to ask. */
function namesHost(text: string): boolean {
  const uri = parseSipUri(text);
  return uri !== undefined && !isAddress(addressOfHost(paramOf(uri.params, 'maddr') || uri.host));
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);
}
