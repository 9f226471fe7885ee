import type { HeaderPairs } from '../dialog/answers.ts';
import { offeredCall, stepIncomingCall } from '../dialog/incoming-call.ts';
import type {
  IncomingCall,
  IncomingCallEffect,
  IncomingCallInput,
  IncomingCallTimer,
} from '../dialog/incoming-call-state.ts';
import { reliabilityOf } from '../dialog/reliable-provisional.ts';
import type { EndReason, SessionEvent, SessionInput } from '../dialog/session-state.ts';
import type { Flow } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import type { CallListener, IncomingInvite } from './call-listener.ts';
import {
  cancelLegTimer,
  type Leg,
  type LegDeps,
  notifyListener,
  performSessionEffect,
  serveInvite,
  startLegTimer,
  trustCaller,
} from './leg.ts';
import { routesWithin } from './routes.ts';
import { routeOfFlow } from './send-target.ts';

/** The leg of an INVITE outside any dialog, with the handle for its owner. `transaction` is its server transaction. */
export function receiveInvite(
  given: LegDeps,
  request: SipRequest,
  transaction: string,
  flow: Flow,
): { readonly invite: IncomingInvite; readonly leg: Leg } {
  let deps = given;
  const localTag = deps.token();
  const callId = request.headers.get('Call-ID') ?? '';
  // With one Via the sender is the phone itself, and the flow reaches it through any NAT. With more, requests follow the dialog's
  // route set and remote target (RFC 3261 §12.2.1.1).
  let peerFlow = request.headers.all('Via').length === 1 ? flow.id : undefined;
  const start = offeredCall(request, localTag, transaction, deps.durations, deps.ringingLimitMs, deps.now(), {
    preferred: deps.sessionInterval,
    chance: deps.chance(),
  });
  let state = start.state;
  let listener: CallListener | undefined;
  let ended: EndReason | undefined;

  const leg: Leg = {
    side: 'leg',
    callId,
    localTag,
    timers: [],
    open: 0,
    answer: undefined,
    offer: undefined,
    authorize: undefined,
    flowOf: () => peerFlow,
    session: (_session, input, source) => feed({ type: 'session', input }, source),
    inDialog(remoteTag, input, from) {
      if (remoteTag !== remoteTagOf(state)) {
        if (input.type !== 'request') return;
        const lost = { do: 'respond', transaction: input.transaction, status: 481 } as const;
        return performSessionEffect(deps, leg, lost, undefined);
      }
      // Requests follow a phone to its new connection.
      if (peerFlow !== undefined) peerFlow = from.id;
      feed({ type: 'session', input });
    },
    inviteFailed: (failure) => feed({ type: 'invite-failed', failure }),
    timerFired: (_scope, key) => feed({ type: 'timer-fired', key: key as IncomingCallTimer }),
    emit: (event: SessionEvent) => {
      if (event.type === 'referred' && listener?.referred === undefined) refuseReferral();
      else deps.safely(() => listener && notifyListener(listener, event));
    },
    end(reason) {
      ended = reason;
      deps.safely(() => listener?.ended?.(reason));
    },
    isOver: () => state.phase === 'ended' && leg.open === 0 && leg.timers.length === 0,
  };
  const remoteTag = state.phase === 'offered' ? state.dialog.remoteTag : '';

  function remoteTagOf(current: IncomingCall): string {
    return current.phase === 'offered' ? current.dialog.remoteTag : remoteTag;
  }

  function feed(input: IncomingCallInput, source?: SipRequest): void {
    const step = stepIncomingCall(state, input, deps.now());
    state = step.state;
    perform(step.effects, source);
  }

  function perform(effects: readonly IncomingCallEffect[], source: SipRequest | undefined): void {
    for (const effect of effects) {
      if (effect.do === 'start-call-timer') startLegTimer(deps, leg, effect.scope, effect.key, effect.at);
      else if (effect.do === 'cancel-call-timer') cancelLegTimer(deps, leg, effect.scope, effect.key);
      else performSessionEffect(deps, leg, effect, source);
    }
    if (leg.isOver()) deps.legs.remove(leg);
  }

  const inSession = (input: SessionInput): void => feed({ type: 'session', input });
  const refuseReferral = (status = 603, headers?: HeaderPairs): void =>
    inSession({ type: 'refuse-referral', status, ...(headers && { headers }) });
  deps.legs.add(leg);
  serveInvite(deps, leg, transaction, true);
  perform(start.effects, undefined);
  const invite: IncomingInvite = {
    callId,
    answeredBy: undefined,
    request,
    flow: flow.id,
    sourceAddress: flow.remoteAddress,
    takesReliable: reliabilityOf(request) !== 'none',
    trust: () => trustCaller(deps, transaction),
    confine(reaches) {
      deps = { ...given, ...routesWithin(given, reaches, routeOfFlow(flow)) };
    },
    listen(owner) {
      listener = owner;
      const reason = ended;
      if (reason) deps.safely(() => owner.ended?.(reason));
    },
    ring: (status = 180, fields = {}) => feed({ type: 'ring', status, ...fields }),
    accept: (content, headers) => feed({ type: 'accept', content, ...(headers && { headers }) }),
    reject: (status, fields = {}) => feed({ type: 'reject', status, ...fields }),
    hangUp: () => feed({ type: 'hang-up' }),
    offer: (content, method) => inSession({ type: 'offer', content, ...(method && { method }) }),
    answerOffer: (content) => inSession({ type: 'answer-offer', content }),
    refuseOffer: (status = 488) => inSession({ type: 'refuse-offer', status }),
    sendInfo: (content) => inSession({ type: 'send-info', content }),
    acceptReferral: () => inSession({ type: 'accept-referral' }),
    refuseReferral,
    reportReferral: (status) => inSession({ type: 'report-referral', status }),
    isDialog: (name) => name.callId === callId && name.localTag === localTag && name.remoteTag === remoteTag,
  };
  return { invite, leg };
}
