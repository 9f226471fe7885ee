import type { InviteBranch, OutgoingCall, OutgoingCallEffect } from './outgoing-call-state.ts';

/** Cancels every branch that has no final response. */
export function cancelOthers(state: OutgoingCall, effects: OutgoingCallEffect[], now: number): OutgoingCall {
  const branches = new Map(state.branches);
  for (const [name, branch] of state.branches) {
    // RFC 3261 §9.1: no CANCEL before a provisional response has arrived.
    if (branch.phase === 'calling') branches.set(name, { ...branch, phase: 'cancel-requested' });
    if (branch.phase === 'proceeding') branches.set(name, cancelBranch(state, name, branch, effects, now));
  }
  return { ...state, branches };
}

/** Cancels one branch; RFC 3326: with the reason, where another phone has answered. */
export function cancelBranch(
  state: OutgoingCall,
  name: string,
  branch: InviteBranch,
  effects: OutgoingCallEffect[],
  now: number,
): InviteBranch {
  const completedElsewhere = state.completedElsewhere || state.winner !== undefined;
  const at = now + 64 * state.timers.t1;
  effects.push(
    { do: 'cancel', branch: name, completedElsewhere },
    { do: 'start-call-timer', scope: name, key: 'cancelled', at },
  );
  return { ...branch, phase: 'cancelled' };
}
