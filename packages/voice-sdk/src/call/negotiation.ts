import type { CallEffect, CallInput, CallState } from './call-state.ts';

/** A call renews its description: it is held or resumed, or ICE starts again. One offer is open at a time. */
export function negotiate(state: CallState, effects: CallEffect[]): CallState {
  const { phase, requested, agreed, ours, isAnswering, isSignalling, isAgreed } = state;
  const isSettled = requested.isHeld === agreed.isHeld && requested.restarts === agreed.restarts;
  const isBusy = ours !== undefined || isAnswering || !isSignalling || !isAgreed;
  if (phase !== 'talking' || isSettled || isBusy) return state;
  effects.push({
    do: 'describe',
    isHeld: requested.isHeld,
    restartsIce: requested.restarts !== agreed.restarts,
  });
  return { ...state, ours: { ...requested, isSent: false } };
}

/** The other side answered our offer. */
export function offerAnswered(
  state: CallState,
  { answer }: CallInput & { type: 'offer-answered' },
  effects: CallEffect[],
): CallState {
  const { ours } = state;
  // The stack refreshes the session with the last description; its answer changes nothing.
  if (!ours?.isSent) return state;
  effects.push({ do: 'apply-answer', answer, isEarly: false });
  const { isSent: _, ...agreed } = ours;
  const settled: CallState = { ...state, ours: undefined, agreed };
  if (agreed.isHeld !== state.agreed.isHeld) emitHeld(agreed.isHeld, 'local', effects);
  return silence(settled, effects);
}

/** The other side refused our offer: the call goes on as before it. */
export function offerRefused(
  state: CallState,
  status: number,
  now: number,
  effects: CallEffect[],
): CallState {
  const { ours, agreed, requested } = state;
  if (!ours?.isSent) return state;
  effects.push({ do: 'roll-back' });
  const back: CallState = { ...state, ours: undefined };
  if (ours.restarts !== agreed.restarts) {
    effects.push({ do: 'start-timer', key: 'restart-again', at: now + RESTART_AGAIN_MS });
    return { ...back, requested: { ...requested, restarts: agreed.restarts } };
  }
  effects.push({ do: 'emit', event: { type: 'hold-failed', status } });
  return silence({ ...back, requested: { ...requested, isHeld: agreed.isHeld } }, effects);
}

/** The wait between two restarts of ICE: checks of a path take some seconds. */
export const RESTART_AGAIN_MS = 8_000;

/** An offer of the other side. */
export function offered(state: CallState, offer: string, effects: CallEffect[]): CallState {
  // Our own offer is being described: the other side tries again (RFC 3261 §14.1).
  if (state.ours !== undefined || state.isAnswering) {
    effects.push({ do: 'refuse-offer', status: 491 });
    return state;
  }
  effects.push({
    do: 'describe',
    ...(offer === '' ? {} : { offer }),
    isHeld: state.agreed.isHeld,
    restartsIce: false,
  });
  const isHeldByPeer = offer === '' ? state.isHeldByPeer : /^a=(?:sendonly|inactive)\r?$/m.test(offer);
  if (isHeldByPeer !== state.isHeldByPeer) emitHeld(isHeldByPeer, 'remote', effects);
  return { ...state, isAnswering: true, isHeldByPeer };
}

/** A silent microphone for a call that is muted or held. */
export function silence(state: CallState, effects: CallEffect[]): CallState {
  effects.push({ do: 'silence', isSilent: state.isMuted || state.requested.isHeld });
  return state;
}

function emitHeld(isHeld: boolean, by: 'local' | 'remote', effects: CallEffect[]): void {
  effects.push({ do: 'emit', event: { type: 'held', isHeld, by } });
}
