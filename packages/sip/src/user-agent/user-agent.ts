import { reasonPhrase } from '../message/reason-phrases.ts';
import { answerWithin } from './answer-within.ts';
import { AnsweredServers } from './answered-servers.ts';
import { assembleUserAgent } from './assemble-user-agent.ts';
import { cancelWithReason } from './cancel-with-reason.ts';
import { challengeAnswer } from './challenge-answer.ts';
import { routesForSize } from './large-request.ts';
import { endLeftDialog } from './left-dialog.ts';
import { createRoutes, routesBesideVerified, routesWithin } from './routes.ts';
import { isReachedOver, targetOf, targetOfLostFlow } from './send-target.ts';
import { screenContent, withSessionAlone } from './session-content.ts';
import { createSilentRoutes } from './silent-routes.ts';
import { createTimerWheel } from './timer-wheel.ts';
import type { UserAgent, UserAgentDeps } from './user-agent-options.ts';

/** Creates a user agent with empty tables. */
export function createUserAgent(deps: UserAgentDeps): UserAgent {
  const silent = createSilentRoutes();
  const { agent, parts } = assembleUserAgent(deps, {
    challengeAnswer,
    reasonPhrase,
    answerWithin,
    orderedRoutes: (routes, request, now) => silent.last(routesForSize(routes, request), now),
    cancelFor: cancelWithReason,
    noteSilent: silent.add,
    createRoutes,
    routesWithin,
    routesBesideVerified,
    targetOf,
    targetOfLostFlow,
    flowTo: (via, flow) => (isReachedOver(flow, via) ? flow.id : undefined),
    withSessionAlone,
    screenContent,
    createServers: (given) => new AnsweredServers(given, () => secretOf(deps)),
    createTimers: createTimerWheel,
  });
  return {
    ...agent,
    phoneReturned(phone, flow, replaced = []) {
      const returned = { replaced, kept: new Set<string>() };
      for (const name of phone)
        for (const leg of parts.legs.withPhone(name)) leg.follow(name, flow, returned);
      return returned.kept;
    },
    endDialog: (snapshot, { credentials, reaches } = {}) =>
      endLeftDialog(parts, snapshot, challengeAnswer(deps, credentials), reaches),
  };
}

/** Two numbers of 32 bits for the table of answered requests. */
function secretOf({ keyedHash }: UserAgentDeps): readonly [number, number] {
  const digits = keyedHash?.('answered SIP requests') ?? '0'.repeat(16);
  return [Number.parseInt(digits.slice(0, 8), 16), Number.parseInt(digits.slice(8, 16), 16)];
}
