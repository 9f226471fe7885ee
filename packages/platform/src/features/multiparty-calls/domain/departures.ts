import type { Instant } from '../../../kernel/machine.ts';
import { type CallStep, emit, maxDurationTimer, ofAdding, watch, withParticipants } from './call-steps.ts';
import type { MultipartyCall, MultipartyCallEffect } from './multiparty-call.ts';
import { billedSeconds, type ExitCause, exited, isHeld, isPresent, type Participant } from './participant.ts';
import { audioChanges, beep } from './room-audio.ts';
import { endOfDeparture, type TerminationCode } from './termination.ts';

/** Out of the mix first, then the sound of leaving for those who stay, or the end of the call. */
export function departed(
  call: MultipartyCall,
  leavers: readonly Participant[],
  cause: ExitCause,
  now: Instant,
): CallStep {
  const left = leaving(call, leavers, cause, now);
  const termination = endOfDeparture({
    isActive: call.status === 'active',
    mayStayAlone: call.stayAlone,
    before: call.participants,
    after: left.state.participants,
  });
  if (termination !== undefined) {
    const end = ended(left.state, termination, now);
    return { state: end.state, effects: [...left.effects, ...end.effects] };
  }
  return {
    state: left.state,
    effects: [
      ...audioChanges(call, left.state),
      ...leavers
        .filter(isPresent)
        .flatMap(({ leg, exitSound }) => beep(left.state, `exit:${leg}`, exitSound)),
      ...left.effects,
    ],
  };
}

/** Only the records and events of leaving. */
function leaving(
  call: MultipartyCall,
  leavers: readonly Participant[],
  cause: ExitCause,
  now: Instant,
): CallStep {
  let seconds = call.billedSeconds;
  const effects: MultipartyCallEffect[] = [];
  const state = withParticipants(call, (each) => {
    if (!leavers.includes(each)) return each;
    const gone = exited(each, cause, now);
    seconds += billedSeconds(gone);
    // Who never joined has not left: for it the adding is what came to its end.
    if (isPresent(each)) effects.push(emit('participant-exited', gone));
    else effects.push(...ofAdding('add-participant-completed', gone));
    return gone;
  });
  return { state: { ...state, billedSeconds: seconds }, effects };
}

export function ended(call: MultipartyCall, termination: TerminationCode, now: Instant): CallStep {
  const live = call.participants.filter((each) => each.phase !== 'exited');
  const left = leaving(call, live, 'Multiparty Call Ended', now);
  return {
    state: { ...left.state, status: 'ended', endedAt: now, termination },
    effects: [
      { do: 'close-mix' },
      { do: 'cancel-timer', key: maxDurationTimer },
      ...letGo(left.state, live, 'call-ended'),
      ...left.effects,
      { do: 'emit', event: { type: 'ended' } },
    ],
  };
}

/**
 * After they are out of the mix: legs are hung up, or have their document again. Legs that have not been handed over
 * yet are let go by the one who asked for them.
 */
export function letGo(
  call: MultipartyCall,
  leavers: readonly Participant[],
  because: 'call-ended' | 'kicked',
): readonly MultipartyCallEffect[] {
  return leavers.filter(isHeld).flatMap(({ leg, origin }): readonly MultipartyCallEffect[] => {
    if (origin !== 'borrowed') return [{ do: 'hang-up', leg, because }];
    const gone = call.participants.find((each) => each.leg === leg);
    if (gone === undefined) return [];
    return [...watch(call, leg, false), { do: 'give-back', name: call.name, participant: gone }];
  });
}
