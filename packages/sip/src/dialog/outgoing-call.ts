import { isChallenge } from '../message/is-challenge.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import type { Step } from '../transaction/effects.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import { correctionOf, rank } from './branch-refusal.ts';
import { cancelBranch, cancelOthers } from './cancel-branches.ts';
import { createCallerDialog, decidedInvite, nextHop } from './dialog.ts';
import { type FoundEarly, findEarly, onEarlyRequest, sessionId } from './early-dialog.ts';
import { isEarlyOffer, settleEarlyOffer, takeEarlyOffer } from './early-offer.ts';
import type {
  CallTimer,
  EarlyDialog,
  InviteBranch,
  OutgoingCall,
  OutgoingCallEffect,
  OutgoingCallInput,
} from './outgoing-call-state.ts';
import { prackFor, takeProvisional } from './reliable-provisional.ts';
import { stepSession } from './session.ts';
import { endWithBye } from './session-end.ts';
import { acknowledge } from './session-responses.ts';
import {
  agreeOnTerms,
  type Content,
  callerSession,
  type EndReason,
  type Session,
  type SessionEffect,
  type SessionInput,
  withPeerMethods,
} from './session-state.ts';
import { DEFAULT_SESSION_INTERVAL, minSeOf, type SessionInterval, termsOfAnswer } from './session-timer.ts';

const noForks: ReadonlyMap<string, EarlyDialog> = new Map();

/** The most forks of one call; responses of further ones are dropped. */
const MAX_FORKS = 64;

type CallStep = Step<OutgoingCall, OutgoingCallEffect>;

/** The call whose INVITEs have just gone to their client transactions. */
export function startOutgoingCall(
  branches: ReadonlyMap<string, SipRequest>,
  timers: TimerDurations,
  ringingLimitMs: number,
  now: number,
  preferred: SessionInterval = DEFAULT_SESSION_INTERVAL,
): CallStep {
  const entries = [...branches].map(([name, request]): [string, InviteBranch] => [
    name,
    { phase: 'calling', request, early: noForks, raised: 0 },
  ]);
  return {
    state: {
      phase: 'calling',
      branches: new Map(entries),
      sessions: new Map(),
      winner: undefined,
      best: undefined,
      earlyOffer: undefined,
      timers,
      preferred,
    },
    effects: [{ do: 'start-call-timer', scope: '', key: 'ringing-limit', at: now + ringingLimitMs }],
  };
}

/** One step of the caller's side of a call. */
export function stepOutgoingCall(state: OutgoingCall, input: OutgoingCallInput, now: number): CallStep {
  switch (input.type) {
    case 'branch-response':
      return onBranchResponse(state, input, now);
    case 'branch-failed': {
      const reason: EndReason = { by: input.failure === 'timeout' ? 'no-response' : 'transport-failed' };
      return onBranchFailure(state, input.branch, reason, now);
    }
    case 'authenticated': {
      const branch = state.branches.get(input.branch);
      if (!branch) return { state, effects: [] };
      // A 100 (Trying) from the first target does not hold for the present one.
      const phase = branch.phase === 'proceeding' ? 'calling' : branch.phase;
      const again = { ...branch, phase, request: input.request } as const;
      return { state: withBranch(state, input.branch, again), effects: [] };
    }
    case 'next-address':
      return callNext(state, input);
    case 'hang-up':
      if (state.phase === 'calling')
        return giveUp({ ...state, completedElsewhere: input.completedElsewhere }, { by: 'local' }, now);
      return state.phase === 'answered'
        ? inSession(state, state.winner!, { type: 'hang-up' }, now)
        : { state, effects: [] };
    case 'settle-offer':
      return settleOffer(state, input.outcome);
    case 'timer-fired':
      return onTimer(state, input.scope, input.key, now);
    case 'in-dialog':
      return onDialogRequest(state, input.remoteTag, input.input, now);
    case 'session':
      return inSession(state, input.session, input.input, now);
  }
}

/** Whether the final response of a branch is waited for. */
function isOpen({ phase }: InviteBranch): boolean {
  return phase === 'calling' || phase === 'proceeding';
}

function callNext(state: OutgoingCall, input: OutgoingCallInput & { type: 'next-address' }): CallStep {
  const { branch: name, next, request } = input;
  const branch = state.branches.get(name);
  if (state.phase !== 'calling' || branch?.phase !== 'calling') return { state, effects: [] };
  // RFC 3261 §9.1: no CANCEL before a provisional response has arrived.
  const silent = withBranch(state, name, { ...branch, phase: 'cancel-requested' });
  return { state: withBranch(silent, next, { ...branch, request, early: noForks }), effects: [] };
}

function onBranchResponse(
  state: OutgoingCall,
  input: OutgoingCallInput & { type: 'branch-response' },
  now: number,
): CallStep {
  const { response } = input;
  const branch = state.branches.get(input.branch);
  if (!branch) return { state, effects: [] };
  if (response.status < 200) return onProvisional(state, input.branch, branch, response, now);
  if (response.status < 300) return onSuccess(state, input.branch, branch, response, now);
  const challenge = isChallenge(response.status);
  const open = isOpen(branch);
  if (challenge && !input.isFinal && state.phase === 'calling' && open) {
    const again: InviteBranch = { ...branch, phase: 'calling', early: noForks };
    return {
      state: withBranch(state, input.branch, again),
      effects: [{ do: 'authenticate', branch: input.branch, response }],
    };
  }
  const { status, reason } = response;
  const headers =
    state.phase === 'calling' && open ? correctionOf(branch, response, state.preferred) : undefined;
  if (headers) {
    const again: InviteBranch = { ...branch, phase: 'calling', early: noForks, raised: branch.raised + 1 };
    return {
      state: withBranch(state, input.branch, again),
      effects: [{ do: 'correct', branch: input.branch, headers }],
    };
  }
  return onBranchFailure(state, input.branch, { by: 'rejected', status, reason, response }, now);
}

function onProvisional(
  state: OutgoingCall,
  name: string,
  branch: InviteBranch,
  response: SipResponse,
  now: number,
): CallStep {
  const effects: OutgoingCallEffect[] = [];
  let next = branch;
  let shown = response;
  if (branch.phase === 'calling') next = { ...branch, phase: 'proceeding' };
  // §9.1: the first provisional response releases the waiting CANCEL.
  if (branch.phase === 'cancel-requested') next = cancelBranch(state, name, branch, effects, now);
  const tag = response.headers.address('To')?.tag;
  // §12.1: a provisional response with a To tag creates an early dialog; 100 (Trying) never does.
  if (response.status > 100 && tag !== undefined && (next.early.has(tag) || next.early.size < MAX_FORKS)) {
    const taken = takeProvisional(next.early.get(tag), next.request, response);
    // RFC 3262 §4: a retransmission, or one out of order, is dropped.
    if (!taken) return { state: next === branch ? state : withBranch(state, name, next), effects };
    const { early, prack } = taken;
    // RFC 3262 §5, RFC 3261 §13.2.1: after the reliable answer the owner sees no other description of this fork.
    if (next.early.get(tag)?.answer) shown = { ...response, body: '' };
    if (prack) {
      const hop = nextHop(early.dialog);
      effects.push({ do: 'request', session: sessionId(name, tag), request: prack, hop });
    }
    next = { ...next, early: new Map(next.early).set(tag, early) };
  }
  if (response.status > 100 && state.phase === 'calling' && isOpen(branch)) {
    effects.push({ do: 'emit-call', event: 'ringing', response: shown });
  }
  return { state: next === branch ? state : withBranch(state, name, next), effects };
}

function onSuccess(
  state: OutgoingCall,
  name: string,
  branch: InviteBranch,
  response: SipResponse,
  now: number,
): CallStep {
  const tag = response.headers.address('To')?.tag ?? '';
  const id = sessionId(name, tag);
  // §13.2.2.4: a retransmitted 2xx is acknowledged again.
  if (state.sessions.has(id)) {
    const again = { type: 'response', method: 'INVITE', response, isFinal: true, chance: 0 } as const;
    return inSession(state, id, again, now);
  }
  if (state.sessions.size >= MAX_FORKS) return { state, effects: [] };
  const effects: OutgoingCallEffect[] = [];
  if (branch.phase === 'cancelled') effects.push({ do: 'cancel-call-timer', scope: name, key: 'cancelled' });
  const early = branch.early.get(tag);
  // RFC 3262 §4: the sequence numbers of the early dialog go on.
  const numbers = early && { localCseq: early.dialog.localCseq, remoteCseq: early.dialog.remoteCseq };
  const confirmed = { ...createCallerDialog(branch.request, response), ...numbers };
  const session = callerSession(id, confirmed, state.timers, state.preferred);
  const { dialog } = session;
  effects.push(acknowledge(id, dialog, response));
  const request = decidedInvite(branch.request);
  const accepted = withBranch(state, name, { ...branch, phase: 'accepted', request });
  if (state.phase === 'calling') {
    effects.push({ do: 'cancel-call-timer', scope: '', key: 'ringing-limit' });
    const own: SessionEffect[] = [];
    const { body } = branch.request;
    const local = { body, contentType: branch.request.headers.get('Content-Type') ?? '' };
    const known = withPeerMethods({ ...session, local }, response);
    const alive = agreeOnTerms(known, termsOfAnswer(response, minSeOf(branch.request)), own, now);
    // Emitted after the timers start, because the owner may end the call at once.
    effects.push(...own, { do: 'emit-call', event: 'answered', response: withAnswer(response, early) });
    // An unanswered offer of the winner moves into its session; that of another fork is refused.
    const { earlyOffer } = state;
    const theirs = earlyOffer?.session === id ? earlyOffer : undefined;
    if (earlyOffer && !theirs) effects.unshift(...settleEarlyOffer(earlyOffer, 487));
    const won = { ...accepted, phase: 'answered', winner: id, earlyOffer: undefined } as const;
    const answered = withSession(won, theirs ? { ...alive, theirs } : alive);
    return { state: cancelOthers(answered, effects, now), effects };
  }
  // §13.2.2.4: the dialog of a late fork, or of a 2xx after CANCEL, gets ACK and then BYE.
  const own: SessionEffect[] = [];
  const ending = endWithBye(session, { by: 'local' }, own, now);
  effects.push(...own.filter((effect) => effect.do !== 'end'));
  return { state: withSession(accepted, ending), effects };
}

/** The 2xx with the answer of an earlier reliable response, which a 2xx need not repeat (RFC 3262 §5). */
function withAnswer(response: SipResponse, early: EarlyDialog | undefined): SipResponse {
  return response.body === '' && early ? { ...response, body: early.answer } : response;
}

function onBranchFailure(state: OutgoingCall, name: string, reason: EndReason, now: number): CallStep {
  const branch = state.branches.get(name);
  if (!branch || branch.phase === 'failed' || branch.phase === 'accepted') return { state, effects: [] };
  const effects: OutgoingCallEffect[] = [];
  if (branch.phase === 'cancelled') effects.push({ do: 'cancel-call-timer', scope: name, key: 'cancelled' });
  const request = decidedInvite(branch.request);
  const failed = withBranch(state, name, { ...branch, phase: 'failed', request });
  if (state.phase !== 'calling' || !isOpen(branch)) return { state: failed, effects };
  const best = state.best === undefined || rank(reason) < rank(state.best) ? reason : state.best;
  // §16.7, step 5: a 6xx rules out every other target.
  const definite = reason.by === 'rejected' && reason.status >= 600;
  const open = [...failed.branches.values()].some(isOpen);
  if (open && !definite) return { state: { ...failed, best }, effects };
  const ended = giveUp(failed, best, now);
  return { state: ended.state, effects: [...effects, ...ended.effects] };
}

function giveUp(calling: OutgoingCall, reason: EndReason, now: number): CallStep {
  const { state, effects: refused } = settleOffer(calling, 487);
  const effects: OutgoingCallEffect[] = [
    ...refused,
    { do: 'cancel-call-timer', scope: '', key: 'ringing-limit' },
    { do: 'end', reason },
  ];
  return { state: cancelOthers({ ...state, phase: 'ended' }, effects, now), effects };
}

function onTimer(state: OutgoingCall, scope: string, key: CallTimer, now: number): CallStep {
  switch (key) {
    case 'ringing-limit':
      return state.phase === 'calling' ? giveUp(state, { by: 'no-response' }, now) : { state, effects: [] };
    case 'cancelled': {
      // §9.1: without a final response in 64*T1 after the CANCEL the transaction is destroyed.
      const branch = state.branches.get(scope);
      if (branch?.phase !== 'cancelled') return { state, effects: [] };
      return {
        state: withBranch(state, scope, { ...branch, phase: 'failed' }),
        effects: [{ do: 'abandon', branch: scope }],
      };
    }
    case 'answer-limit':
      // RFC 3311 §5.2: 504 if the owner does not answer the UPDATE in time.
      if (state.earlyOffer?.session === scope) return settleOffer(state, 504);
      return inSession(state, scope, { type: 'timer-fired', key }, now);
    case 'repeat':
    case 'no-ack':
    case 'glare':
    case 'offer-limit':
    case 'refresh':
    case 'expiry':
    case 'referral':
      return inSession(state, scope, { type: 'timer-fired', key }, now);
  }
}

function onDialogRequest(
  state: OutgoingCall,
  remoteTag: string,
  input: SessionInput & { type: 'request' | 'ack' | 'cancelled' },
  now: number,
): CallStep {
  for (const session of state.sessions.values()) {
    if (session.dialog.remoteTag === remoteTag) return inSession(state, session.id, input, now);
  }
  if (input.type !== 'request') return { state, effects: [] };
  const { transaction, request } = input;
  const found = findEarly(state.branches, (_name, tag) => tag === remoteTag);
  if (!found) return { state, effects: [{ do: 'respond', transaction, status: 481 }] };
  if (isEarlyOffer(found, request, state.phase === 'calling')) {
    const taken = takeEarlyOffer(found, input, state.earlyOffer, state.timers.t1, now);
    return {
      state: { ...withEarly(state, found, taken.early), earlyOffer: taken.offer },
      effects: taken.effects,
    };
  }
  const { early, effects } = onEarlyRequest(found.early, transaction, request, state.phase === 'calling');
  return { state: withEarly(state, found, early), effects };
}

function settleOffer(state: OutgoingCall, outcome: Content | number): CallStep {
  if (!state.earlyOffer) return { state, effects: [] };
  return {
    state: { ...state, earlyOffer: undefined },
    effects: settleEarlyOffer(state.earlyOffer, outcome),
  };
}

/** A response to an own PRACK: a challenge is answered. */
function onPrackResponse(state: OutgoingCall, id: string, input: SessionInput): CallStep {
  const found = findEarly(state.branches, (name, tag) => sessionId(name, tag) === id);
  if (!found || input.type !== 'response') return { state, effects: [] };
  const { method, response, isFinal } = input;
  const isAnswerable = method === 'PRACK' && !isFinal && isChallenge(response.status);
  if (!isAnswerable || found.early.rseq === undefined) return { state, effects: [] };
  const { dialog, request } = prackFor(found.early.dialog, found.branch.request, found.early.rseq);
  return {
    state: withEarly(state, found, { ...found.early, dialog }),
    effects: [{ do: 'request', session: id, request, hop: nextHop(dialog), challenge: response }],
  };
}

function withEarly(state: OutgoingCall, { name, tag, branch }: FoundEarly, early: EarlyDialog): OutgoingCall {
  return withBranch(state, name, { ...branch, early: new Map(branch.early).set(tag, early) });
}

function inSession(state: OutgoingCall, id: string, input: SessionInput, now: number): CallStep {
  const session = state.sessions.get(id);
  if (!session) return onPrackResponse(state, id, input);
  const step = stepSession(session, input, now);
  const next = step.state === session ? state : withSession(state, step.state);
  // The owner gets events of the winner only.
  if (id !== state.winner) {
    return {
      state: next,
      effects: step.effects.filter((effect) => effect.do !== 'end' && effect.do !== 'emit'),
    };
  }
  const ended = step.effects.some((effect) => effect.do === 'end');
  return { state: ended ? { ...next, phase: 'ended' } : next, effects: step.effects };
}

function withBranch(state: OutgoingCall, name: string, branch: InviteBranch): OutgoingCall {
  return { ...state, branches: new Map(state.branches).set(name, branch) };
}

function withSession(state: OutgoingCall, session: Session): OutgoingCall {
  return { ...state, sessions: new Map(state.sessions).set(session.id, session) };
}
