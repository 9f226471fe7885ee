import { CAPABILITIES, type HeaderPairs } from '../dialog/answers.ts';
import { startOutgoingCall, stepOutgoingCall } from '../dialog/outgoing-call.ts';
import type {
  CallTimer,
  OutgoingCall,
  OutgoingCallEffect,
  OutgoingCallInput,
} from '../dialog/outgoing-call-state.ts';
import type { EndReason, SessionInput } from '../dialog/session-state.ts';
import { firstTermsHeaders, type SessionInterval } from '../dialog/session-timer.ts';
import { type Attempt, failsFlow, triesNext } from '../locate/failover.ts';
import { createRequest } from '../message/create-request.ts';
import { parseCSeq } from '../message/cseq.ts';
import { createHeaders } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';
import { printMessage } from '../message/print-message.ts';
import { parseVia } from '../message/via.ts';
import { cancelFor } from '../transaction/ack.ts';
import { clientKey } from '../transaction/key.ts';
import type { Call, CallListener } from './call-listener.ts';
import type { ChallengeAnswer } from './challenge-answer.ts';
import type { InviteOptions, InviteTarget } from './invite-options.ts';
import { routesForSize } from './large-request.ts';
import {
  cancelLegTimer,
  type Leg,
  type LegDeps,
  notifyListener,
  performSessionEffect,
  startLegTimer,
  startLegTransaction,
} from './leg.ts';
import { routesWithin } from './routes.ts';
import { firstHop, type Route } from './send-target.ts';
import type { ClientTransaction } from './transactions.ts';

/** Sends the INVITEs and returns the leg for its owner. */
export function dial(
  deps: LegDeps,
  options: InviteOptions,
  authorize: ChallengeAnswer | undefined,
  listener: CallListener,
): Call {
  if (options.targets.length === 0) throw new TypeError('An INVITE needs at least one target');
  const callId = deps.token();
  const localTag = deps.token();
  const flows = new Map<string, string | undefined>();
  const invites = new Map<string, SipRequest>();
  const transactions = new Map<string, ClientTransaction>();
  const located = new Map<string, readonly Route[]>();
  const otherFlows = new Map<string, readonly InviteTarget[]>();
  for (const [index, target] of options.targets.entries()) {
    const branch = branchAt(index);
    flows.set(branch, target.flow);
    invites.set(branch, inviteFor(options, target, callId, localTag, deps.sessionInterval));
    if (target.otherFlows) otherFlows.set(branch, target.otherFlows);
  }
  const confined = new Map<string, LegDeps>();
  let state: OutgoingCall;

  /** Routes of each branch; they fall back to the target of its own INVITE. */
  function waysOf(branch: string): LegDeps {
    const { reaches } = options;
    if (!reaches) return deps;
    const known = confined.get(branch) ?? { ...deps, ...routesWithin(deps, reaches) };
    confined.set(branch, known);
    return known;
  }

  const leg: Leg = {
    side: 'leg',
    callId,
    localTag,
    timers: [],
    open: 0,
    answer: undefined,
    offer: undefined,
    authorize,
    flowOf: (session) => flows.get(branchOf(session)),
    session: (session, input, source) => feed({ type: 'session', session, input }, source),
    inDialog(remoteTag, input, flow) {
      const session = [...state.sessions.values()].find((each) => each.dialog.remoteTag === remoteTag);
      // Requests follow a phone to its new connection.
      if (session && flows.get(branchOf(session.id)) !== undefined) flows.set(branchOf(session.id), flow.id);
      feed({ type: 'in-dialog', remoteTag, input });
    },
    inviteFailed: () => {},
    timerFired(scope, key) {
      if (key === 'unroutable') {
        const failure = 'transport-failed';
        const invite = state.branches.get(scope)?.request;
        if (invite && isOpen(scope) && triesOtherFlow(scope, invite, { type: 'failed', failure })) return;
        feed({ type: 'branch-failed', branch: scope, failure });
      } else feed({ type: 'timer-fired', scope, key: key as CallTimer });
    },
    emit: (event) => {
      if (event.type === 'referred' && listener.referred === undefined) refuseReferral();
      else deps.safely(() => notifyListener(listener, event));
    },
    end: (reason: EndReason) => deps.safely(() => listener.ended?.(reason)),
    isOver: () => state.phase === 'ended' && leg.open === 0 && leg.timers.length === 0,
  };

  function feed(input: OutgoingCallInput, source?: SipRequest): void {
    const step = stepOutgoingCall(state, input, deps.now());
    state = step.state;
    perform(step.effects, source);
  }

  function perform(effects: readonly OutgoingCallEffect[], source: SipRequest | undefined): void {
    for (const effect of effects) performOne(effect, source);
    if (leg.isOver()) deps.legs.remove(leg);
  }

  function performOne(effect: OutgoingCallEffect, source: SipRequest | undefined): void {
    switch (effect.do) {
      case 'cancel':
        cancel(effect.branch);
        return;
      case 'authenticate': {
        const invite = state.branches.get(effect.branch)!.request;
        const again = nextAttempt(invite);
        for (const [name, value] of authorize?.(effect.response, again) ?? [])
          again.headers.append(name, value);
        feed({ type: 'authenticated', branch: effect.branch, request: again });
        sendInvite(effect.branch, again, true);
        return;
      }
      case 'correct': {
        const again = nextAttempt(state.branches.get(effect.branch)!.request);
        for (const name of ['Authorization', 'Proxy-Authorization']) again.headers.remove(name);
        for (const [name, value] of effect.headers) again.headers.set(name, value);
        feed({ type: 'authenticated', branch: effect.branch, request: again });
        sendInvite(effect.branch, again, false);
        return;
      }
      case 'abandon': {
        const transaction = transactions.get(effect.branch);
        if (transaction) deps.clients.step(transaction, { type: 'abandon' });
        return;
      }
      case 'start-call-timer':
        startLegTimer(deps, leg, effect.scope, effect.key, effect.at);
        return;
      case 'cancel-call-timer':
        cancelLegTimer(deps, leg, effect.scope, effect.key);
        return;
      case 'emit-call': {
        const { event, response } = effect;
        deps.safely(() =>
          event === 'ringing' ? listener.ringing?.(response) : listener.answered?.(response),
        );
        return;
      }
      default:
        performSessionEffect(
          'session' in effect ? waysOf(branchOf(effect.session)) : deps,
          leg,
          effect,
          source,
        );
        return;
    }
  }

  function sendInvite(branch: string, invite: SipRequest, retried: boolean): void {
    // The retry goes to the target that challenged or corrected the INVITE.
    const known = located.get(branch);
    if (known) {
      sendInviteTo(known, branch, invite, retried);
      return;
    }
    waysOf(branch).routes(flows.get(branch), firstHop(invite), (routes) => {
      // After a hang-up during the lookup no INVITE is sent.
      if (isOpen(branch)) sendInviteTo(routesForSize(routes, invite), branch, invite, retried);
      else feed({ type: 'branch-failed', branch, failure: 'transport-failed' });
    });
  }

  function isOpen(branch: string): boolean {
    const phase = state.branches.get(branch)?.phase;
    return state.phase === 'calling' && (phase === 'calling' || phase === 'proceeding');
  }

  /** RFC 5626 §5.3: after a failed flow the next one of the same phone gets the call. */
  function triesOtherFlow(branch: string, invite: SipRequest, attempt: Attempt): boolean {
    const [target, ...left] = otherFlows.get(branch) ?? [];
    if (target === undefined || !failsFlow(attempt)) return false;
    otherFlows.set(branch, left);
    flows.set(branch, target.flow);
    located.delete(branch);
    const again = inviteFor(options, target, callId, localTag, deps.sessionInterval);
    again.headers.set('CSeq', invite.headers.get('CSeq') ?? '1 INVITE');
    feed({ type: 'authenticated', branch, request: again });
    sendInvite(branch, again, false);
    return true;
  }

  function sendInviteTo(
    routes: readonly Route[],
    branch: string,
    invite: SipRequest,
    retried: boolean,
  ): void {
    const [route, ...rest] = routes;
    if (route && 'host' in route.target) located.set(branch, routes);
    // The owner has no handle yet, so this failure is reported after `invite` returns, as any other.
    if (!route) {
      startLegTimer(deps, leg, branch, 'unroutable', deps.now());
      return;
    }
    let hasResponded = false;
    /** RFC 3263 §4.3: the next target gets its own transaction, unless this one has rung. */
    const next = (attempt: Attempt): boolean => {
      if (hasResponded || !isOpen(branch)) return false;
      if (rest.length === 0 || !triesNext(attempt)) return triesOtherFlow(branch, invite, attempt);
      const again = { ...invite, headers: createHeaders(invite.headers.entries()) };
      feed({ type: 'authenticated', branch, request: again });
      sendInviteTo(rest, branch, again, retried);
      return true;
    };
    const transaction = startLegTransaction(deps, leg, invite, route, {
      response: (response) => {
        if (response.status < 200) hasResponded ||= response.status > 100;
        else if (next({ type: 'response', status: response.status })) return;
        const lacksAnswer = retried || authorize?.(response, invite) === undefined;
        feed({ type: 'branch-response', branch, response, retried: lacksAnswer }, invite);
      },
      failed(failure) {
        if (!next({ type: 'failed', failure })) feed({ type: 'branch-failed', branch, failure });
      },
    });
    transactions.set(branch, transaction);
  }

  function cancel(branch: string): void {
    const invite = transactions.get(branch);
    if (!invite) return;
    const request = cancelFor(invite.request);
    const via = request.headers.get('Via')!;
    const key = clientKey(parseVia(via)?.branch ?? '', 'CANCEL');
    const reliable = invite.machine.kind === 'invite' && isReliable(via);
    const route: Route = { target: invite.target, protocol: reliable ? 'tcp' : 'udp', reliable };
    leg.open += 1;
    // §9.1: the answer to CANCEL is ignored; the INVITE's own final response ends the branch.
    deps.clients.start(key, request, printMessage(request), route, {
      response: () => {},
      failed: () => {},
      terminated: () => {
        leg.open -= 1;
        if (leg.isOver()) deps.legs.remove(leg);
      },
    });
  }

  const start = startOutgoingCall(
    invites,
    deps.durations,
    deps.ringingLimitMs,
    deps.now(),
    deps.sessionInterval,
  );
  state = start.state;
  deps.legs.add(leg);
  perform(start.effects, undefined);
  for (const [branch, invite] of invites) sendInvite(branch, invite, false);

  const inWinner = (input: SessionInput): void => {
    if (state.winner !== undefined) feed({ type: 'session', session: state.winner, input });
  };
  const refuseReferral = (status = 603, headers?: HeaderPairs): void =>
    inWinner({ type: 'refuse-referral', status, ...(headers && { headers }) });
  return {
    callId,
    get answeredBy() {
      return state.winner === undefined ? undefined : indexOf(branchOf(state.winner));
    },
    hangUp: () => feed({ type: 'hang-up' }),
    offer: (content, method) => inWinner({ type: 'offer', content, ...(method && { method }) }),
    answerOffer(content) {
      if (state.phase === 'calling') feed({ type: 'settle-offer', outcome: content });
      else inWinner({ type: 'answer-offer', content });
    },
    refuseOffer(status = 488) {
      if (state.phase === 'calling') feed({ type: 'settle-offer', outcome: status });
      else inWinner({ type: 'refuse-offer', status });
    },
    sendInfo: (content) => inWinner({ type: 'send-info', content }),
    acceptReferral: () => inWinner({ type: 'accept-referral' }),
    refuseReferral,
    reportReferral: (status) => inWinner({ type: 'report-referral', status }),
    isDialog: (name) =>
      name.callId === callId &&
      name.localTag === localTag &&
      state.sessions.get(state.winner ?? '')?.dialog.remoteTag === name.remoteTag,
  };
}

function inviteFor(
  options: InviteOptions,
  { uri, path = [] }: InviteTarget,
  callId: string,
  localTag: string,
  interval: SessionInterval,
): SipRequest {
  const terms = firstTermsHeaders(interval);
  const headers: HeaderPairs = [...CAPABILITIES, ...terms, ...(options.headers ?? [])];
  return createRequest({
    method: 'INVITE',
    uri,
    from: `${options.from};tag=${localTag}`,
    to: options.to,
    callId,
    cseq: 1,
    routes: [...(options.routes ?? []), ...path],
    ...(options.maxForwards !== undefined && { maxForwards: options.maxForwards }),
    headers,
    ...options.content,
  });
}

/** RFC 3261 §22.2: the same request with the CSeq one higher; sending sets Via and branch. */
function nextAttempt(invite: SipRequest): SipRequest {
  const headers = createHeaders(invite.headers.entries());
  const cseq = parseCSeq(headers.get('CSeq') ?? '')?.seq ?? 0;
  headers.set('CSeq', `${cseq + 1} INVITE`);
  return { ...invite, headers };
}

/** Names the branch of the target at this index. */
function branchAt(index: number): string {
  return `b${index}`;
}

function indexOf(branch: string): number {
  return Number(branch.slice(1));
}

function branchOf(session: string): string {
  const semicolon = session.indexOf(';');
  return semicolon < 0 ? session : session.slice(0, semicolon);
}

function isReliable(via: string): boolean {
  return !via.startsWith('SIP/2.0/UDP');
}
