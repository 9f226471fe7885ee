import { printMessage } from '../message/print-message.ts';
import { cancelFor } from '../transaction/ack.ts';
import { assembleUserAgent } from './assemble-user-agent.ts';
import type { ExtraParts } from './extra-parts.ts';
import { type Route, type Routes, type RoutesDeps, routeOfFlow } from './send-target.ts';
import { ServerTransactions } from './server-transactions.ts';
import type { TimerWheel, WheelClock, WheelTimer } from './timer-wheel.ts';
import type { PhoneUserAgent, UserAgentDeps } from './user-agent-options.ts';

/** Dependencies of a phone; it may load `challengeAnswer` later. */
export interface PhoneUserAgentDeps extends UserAgentDeps {
  /** Answers challenges; not needed by a phone that logs in with tokens. */
  readonly challengeAnswer?: ExtraParts['challengeAnswer'];
}

/**
 * Creates a user agent for one phone over a WebSocket: no limits for unauthenticated senders, no datagrams, no other routes, no phrases, no
 * multipart bodies, no dialogs of other processes, and a clock timer for each timer.
 */
export function createPhoneUserAgent(deps: PhoneUserAgentDeps): PhoneUserAgent {
  return assembleUserAgent(deps, {
    challengeAnswer: (...given) => deps.challengeAnswer?.(...given),
    reasonPhrase: () => '',
    answerWithin: (_most, response) => printMessage(response),
    orderedRoutes: (routes) => routes,
    cancelFor,
    noteSilent() {},
    createRoutes: routesOfSocket,
    routesWithin: (routes) => routes,
    routesBesideVerified: (routes) => routes,
    targetOf: (_request, _via, flow) => ({ flow: flow.id }),
    targetOfLostFlow: () => undefined,
    flowTo: (_via, flow) => flow.id,
    withSessionAlone: (message) => message,
    screenContent: () => undefined,
    createServers: (given) => new ServerTransactions(given),
    createTimers: createFewTimers,
  }).agent;
}

/** A phone sends everything over its WebSocket, whatever a URI names. */
function routesOfSocket({ flow }: RoutesDeps): Routes {
  const one = (id = ''): Route | undefined => {
    const socket = flow(id);
    return socket && routeOfFlow(socket);
  };
  return {
    one,
    all(id, _uri, found) {
      const route = one(id);
      found(route ? [route] : []);
    },
  };
}

/** Timers for a few calls. */
function createFewTimers<Owner>({
  clock,
  fire,
}: {
  readonly clock: WheelClock;
  readonly fire: (owner: Owner, key: string) => void;
}): TimerWheel<Owner> {
  const running = new Map<WheelTimer<Owner>, () => void>();
  return {
    start(owner, key, at) {
      const timer = {
        owner,
        key,
        tick: at,
        slot: 0,
        previous: undefined,
        next: undefined,
        sibling: undefined,
      };
      const stop = clock.startTimer(at, () => {
        running.delete(timer);
        fire(owner, key);
      });
      running.set(timer, stop);
      return timer;
    },
    cancel(timer) {
      running.get(timer)?.();
      running.delete(timer);
    },
    size: () => running.size,
    close() {
      for (const stop of running.values()) stop();
      running.clear();
    },
  };
}
