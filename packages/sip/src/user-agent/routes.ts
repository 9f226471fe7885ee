import { addressOfHost } from '../message/host.ts';
import { paramOf } from '../message/params.ts';
import { parseSipUri } from '../message/uri.ts';
import { type Route, routeOfFlow, routeOfTarget, routeOfUri } from './send-target.ts';
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

/** RFC 3263 §4: an address leaves nothing to ask. */
function namesHost(text: string): boolean {
  const uri = parseSipUri(text);
  if (uri === undefined) return false;
  const host = addressOfHost(paramOf(uri.params, 'maddr') || uri.host);
  return !host.includes(':') && !/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);
}
