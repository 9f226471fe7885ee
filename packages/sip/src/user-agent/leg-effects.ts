import { CAPABILITIES, type HeaderPairs } from '../dialog/answers.ts';
import type { Content, SessionEffect } from '../dialog/session-state.ts';
import { buildResponse } from '../message/build-response.ts';
import type { Protocol } from '../message/flow.ts';
import { isChallenge } from '../message/is-challenge.ts';
import type { SipRequest } from '../message/message.ts';
import { printMessage } from '../message/print-message.ts';
import { createVia } from '../message/via.ts';
import {
  cancelLegTimer,
  contactOf,
  type Leg,
  type LegDeps,
  REFRESHES_TARGET,
  startLegTimer,
  startLegTransaction,
} from './leg.ts';
import { remoteTagOf } from './remote-tag.ts';
import type { ServerTransaction } from './transactions.ts';

/** Key of the timer of requests that wait for a phone. */
export const LOST = 'lost';

/** Carries out an effect of a session; `source` is the request whose response caused it. */
export function performSessionEffect(
  deps: LegDeps,
  leg: Leg,
  effect: SessionEffect,
  source: SipRequest | undefined,
): void {
  switch (effect.do) {
    case 'respond':
      respondInLeg(deps, leg, effect.transaction, effect.status, effect.headers, effect.content);
      return;
    case 'repeat-answer':
      repeatAnswer(deps, leg, effect);
      return;
    case 'request':
      sendInDialog(deps, leg, authorized(leg, effect, source));
      return;
    case 'ack':
      sendAck(deps, leg, effect, source);
      return;
    case 'abandon-offer': {
      if (leg.offer) deps.clients.step(leg.offer, { type: 'abandon' });
      return;
    }
    case 'start-timer':
      startLegTimer(deps, leg, effect.session, effect.key, effect.at);
      return;
    case 'cancel-timer':
      cancelLegTimer(deps, leg, effect.session, effect.key);
      // The 2xx has its ACK, or no longer waits for it.
      if (effect.key === 'repeat') leg.answer = undefined;
      return;
    case 'emit':
      leg.emit(effect.event);
      return;
    case 'end':
      leg.end(effect.reason);
      return;
  }
}

/** Answers a request of the leg, unless its transaction has a final response. */
function respondInLeg(
  deps: LegDeps,
  leg: Leg,
  key: string,
  status: number,
  extra: HeaderPairs | undefined,
  content: Content | undefined,
): void {
  const transaction = deps.servers.find(key);
  const request = transaction?.request;
  if (!transaction || !request) return;
  const headers: (readonly [string, string])[] = [];
  if (REFRESHES_TARGET.has(request.method) && status > 100 && status < 300) {
    // RFC 3261 §12.1.1: a response that makes a dialog carries a Contact, as responses to UPDATE do (RFC 3311 §5.2).
    // §13.3.1.4: a 2xx carries Allow and Supported.
    headers.push(['Contact', contactOf(deps, sourceRoute(request), request.uri)]);
    if (status >= 200) headers.push(...CAPABILITIES);
  }
  if (deps.userAgentName !== undefined) headers.push(['Server', deps.userAgentName]);
  if (extra) headers.push(...extra);
  const response = buildResponse(request, status, deps.reasonPhrase(status), {
    toTag: leg.localTag,
    headers,
    ...content,
  });
  const { limit } = transaction;
  const fitting = deps.answerWithin(limit, response);
  if (fitting === undefined) deps.counters.amplifying += 1;
  const text = fitting ?? '';
  if (request.method === 'INVITE' && status >= 200 && status < 300) leg.answer = { transaction: key, text };
  const once = isChallenge(status) || limit !== undefined;
  deps.servers.step(transaction, { type: 'respond', status, text, once });
}

/** Sends the 2xx again; a phone without another address gets it over its present connection. */
function repeatAnswer(deps: LegDeps, leg: Leg, effect: SessionEffect & { do: 'repeat-answer' }): void {
  const { session, transaction: key } = effect;
  const transaction = deps.servers.find(key);
  if (!transaction || leg.answer?.transaction !== key) return;
  const flow = leg.onlyFlowOf(session);
  if (flow !== undefined) transaction.target = { flow };
  deps.servers.step(transaction, { type: 'respond', status: 200, text: leg.answer.text });
}

/** Makes an INVITE server transaction report to its leg. */
export function serveInvite(deps: LegDeps, leg: Leg, key: string, isFirst: boolean): void {
  const transaction = deps.servers.find(key);
  if (!transaction) return;
  transaction.user = {
    failed: (failure) => {
      if (isFirst) leg.inviteFailed(failure);
    },
    acknowledged: ({ request, flow }) => leg.inDialog(remoteTagOf(request), { type: 'ack', request }, flow),
    // An unauthenticated sender gets one response to a request, so the final one.
    tryingDue() {
      if (transaction.limit === undefined) sayTrying(deps, transaction);
      else transaction.owesTrying = true;
    },
  };
}

/** The sender of the INVITE is authenticated: responses may be larger than it, and are repeated as the RFC demands. */
export function trustCaller(deps: LegDeps, key: string): void {
  const transaction = deps.servers.find(key);
  if (!transaction) return;
  transaction.limit = undefined;
  if (transaction.owesTrying) sayTrying(deps, transaction);
  transaction.owesTrying = false;
}

function sayTrying(deps: LegDeps, transaction: ServerTransaction): void {
  if (!transaction.request) return;
  const text = printMessage(buildResponse(transaction.request, 100, 'Trying'));
  deps.servers.step(transaction, { type: 'respond', status: 100, text });
}

/** The effect with the credentials for its challenge in its request; `source` is the request that was challenged. */
function authorized(
  leg: Leg,
  effect: SessionEffect & { do: 'request' },
  source: SipRequest | undefined,
): SessionEffect & { do: 'request' } {
  const { challenge, request } = effect;
  if (!challenge || !source) return effect;
  const { headers, answered = 0 } = source;
  const credentials = leg.authorize?.(challenge, { ...request, headers, answered });
  for (const [name, value] of credentials ?? []) request.headers.append(name, value);
  return { ...effect, request: { ...request, answered: answered + 1 } };
}

function sendInDialog(deps: LegDeps, leg: Leg, effect: SessionEffect & { do: 'request' }): void {
  const { session, request, hop } = effect;
  const { method } = request;
  const only = leg.onlyFlowOf(session);
  if (only !== undefined && !deps.isOpen(only)) {
    awaitReturn(deps, leg, effect);
    return;
  }
  const route = leg.routesOf(session).one(leg.flowOf(session), hop);
  if (!route) {
    leg.session(session, { type: 'failed', method, failure: 'transport-failed' });
    return;
  }
  const transaction = startLegTransaction(deps, leg, request, route, {
    response: (response) => {
      const isFinal = leg.authorize?.(response, request) === undefined;
      const input = { type: 'response', method, response, isFinal, chance: deps.chance() } as const;
      leg.session(session, input, request);
    },
    failed(failure) {
      if (failure !== 'transport-failed' || only === undefined)
        leg.session(session, { type: 'failed', method, failure });
      // The phone has returned since, or will: a connection that carries nothing more may look open for a while.
      else if (leg.onlyFlowOf(session) !== only) sendInDialog(deps, leg, effect);
      else awaitReturn(deps, leg, effect);
    },
  });
  if (method === 'INVITE') leg.offer = transaction;
}

/** RFC 3261 §13.2.2.4: the ACK of a 2xx carries the credentials of its INVITE and is sent outside any transaction. */
function sendAck(
  deps: LegDeps,
  leg: Leg,
  effect: SessionEffect & { do: 'ack' },
  source: SipRequest | undefined,
): void {
  const only = leg.onlyFlowOf(effect.session);
  // Dropped: the peer repeats its 2xx over its next connection.
  if (only !== undefined && !deps.isOpen(only)) return;
  const route = leg.routesOf(effect.session).one(leg.flowOf(effect.session), effect.hop);
  if (!route) return;
  const { host, port } = deps.address(route.protocol, route.host);
  const { headers } = effect.request;
  headers.prepend('Via', createVia(route.protocol, host, port, effect.viaBranch));
  for (const name of ['Authorization', 'Proxy-Authorization']) {
    for (const value of source?.headers.all(name) ?? []) headers.append(name, value);
  }
  deps.send(route.target, printMessage(effect.request));
}

/** Keeps a request until its phone has registered again, for at most 64*T1, as a transaction waits for an answer. */
function awaitReturn(deps: LegDeps, leg: Leg, effect: SessionEffect & { do: 'request' }): void {
  const { session } = effect;
  if (!leg.lost.some((other) => other.session === session))
    startLegTimer(deps, leg, session, LOST, deps.now() + 64 * deps.durations.t1);
  leg.lost.push(effect);
}

/** The phone of a session is reached again: sends the requests that waited for it. */
export function sendLost(deps: LegDeps, leg: Leg, session: string): void {
  const waiting = takeLost(leg, session);
  if (waiting.length > 0) cancelLegTimer(deps, leg, session, LOST);
  for (const effect of waiting) sendInDialog(deps, leg, effect);
}

/** The phone of a session did not register again in time: its waiting requests fail. */
export function failLost(leg: Leg, session: string): void {
  for (const { request } of takeLost(leg, session)) {
    const { method } = request;
    leg.session(session, { type: 'failed', method, failure: 'timeout' });
  }
}

function takeLost({ lost }: Leg, session: string): Leg['lost'] {
  const taken = lost.filter((effect) => effect.session === session);
  const left = lost.filter((effect) => effect.session !== session);
  lost.splice(0, lost.length, ...left);
  return taken;
}

function sourceRoute(request: SipRequest): {
  readonly protocol: Protocol;
  readonly host: string | undefined;
} {
  return { protocol: protocolOfVia(request), host: request.sourceAddress };
}

function protocolOfVia(request: SipRequest): Protocol {
  const via = request.headers.get('Via') ?? '';
  const name = /^SIP\s*\/\s*2\.0\s*\/\s*(tcp|tls|wss?)\b/i.exec(via)?.[1]?.toLowerCase();
  return (name as Protocol | undefined) ?? 'udp';
}
