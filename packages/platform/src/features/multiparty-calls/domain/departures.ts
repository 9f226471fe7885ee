import type { Instant } from '@jackfield/ports';
import { type CallStep, emit, ofAdding, watch, withParticipants } from './call-steps.ts';
import { maxDurationTimer } from './call-timers.ts';
import type { LetGoCause, MultipartyCall, MultipartyCallEffect } from './multiparty-call.ts';
import { type ExitCause, exited, isHeld, isPresent, type Participant } from './participant.ts';
import { audioChanges, beep } from './room-audio.ts';
import { withEdgeSound } from './room-plays.ts';
import { soundChanges } from './room-sounds.ts';
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
    const end = ended(left.state, termination, now, call);
    return { state: end.state, effects: [...left.effects, ...end.effects] };
  }
  const gone = leavers.filter(isPresent);
  return {
    state: gone.reduce((state, each) => withEdgeSound(state, 'exit', each), left.state),
    effects: [
      ...audioChanges(call, left.state),
      ...gone.flatMap((each) => beep(left.state, `exit:${each.leg}`, each.exitSound, each)),
      ...left.effects,
    ],
  };
}

/** Of somebody who never came in: its leg is hung up. */
export function hungUp(
  call: MultipartyCall,
  participant: Participant,
  because: LetGoCause,
  now: Instant,
): CallStep {
  const left = departed(call, [participant], 'Participant Call Hangup', now);
  return {
    state: left.state,
    effects: [...left.effects, ...letGo(left.state, [participant], because)],
  };
}

/** Whoever was called for the same place as the one who has it now; their adding comes to its end with the winner's. */
export function lostRace(call: MultipartyCall, winner: Participant, now: Instant): CallStep {
  const rivals = call.participants.filter(
    (each) => each !== winner && each.requestUuid === winner.requestUuid && each.phase !== 'exited',
  );
  if (rivals.length === 0) return { state: call, effects: [] };
  const { state } = leaving(call, rivals, 'Participant Call Hangup', now);
  return { state, effects: letGo(state, rivals, 'lost-race') };
}

/** Only the records and events of leaving. */
function leaving(
  call: MultipartyCall,
  leavers: readonly Participant[],
  cause: ExitCause,
  now: Instant,
): CallStep {
  const state = withParticipants(call, (each) => {
    return leavers.includes(each) ? exited(each, cause, now) : each;
  });
  const effects: MultipartyCallEffect[] = [];
  const waitedFor = new Set(
    state.participants.filter(({ phase }) => phase !== 'exited').map(({ requestUuid }) => requestUuid),
  );
  for (const gone of state.participants) {
    if (!leavers.some(({ leg }) => leg === gone.leg)) continue;
    if (gone.joinedAt !== null) {
      effects.push(emit('participant-exited', gone), ...exitAction(gone));
    } else if (!waitedFor.has(gone.requestUuid)) {
      // Who never joined has not left: for it the adding is what came to its end, once for all rivals.
      waitedFor.add(gone.requestUuid);
      effects.push(...ofAdding('add-participant-completed', gone));
    }
  }
  return { state, effects };
}

/** Its leg is gone: the URL is told, and no document can run. */
function exitAction(participant: Participant): readonly MultipartyCallEffect[] {
  const { onExitAction: request, exitCause } = participant;
  if (request === null || exitCause !== 'Participant Call Hangup') return [];
  return [{ do: 'emit', event: { type: 'exit-action', participant, request } }];
}

/** `before`: the call with those whose departure ends it. */
export function ended(
  call: MultipartyCall,
  termination: TerminationCode,
  now: Instant,
  before = call,
): CallStep {
  const live = call.participants.filter((each) => each.phase !== 'exited');
  const left = leaving(call, live, 'Multiparty Call Ended', now);
  const state: MultipartyCall = { ...left.state, status: 'ended', endedAt: now, termination };
  return {
    state,
    effects: [
      ...soundChanges(before, state).filter((effect) => effect.do === 'stop-sound'),
      { do: 'close-mix' },
      { do: 'cancel-timer', key: maxDurationTimer },
      ...letGo(state, live, termination === 3000 ? 'end-requested' : 'call-ended'),
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
  because: LetGoCause,
): readonly MultipartyCallEffect[] {
  return leavers.filter(isHeld).flatMap((leaver): readonly MultipartyCallEffect[] => {
    const { leg, origin, onExitAction } = leaver;
    const participant = call.participants.find((each) => each.leg === leg);
    const isHungUp = origin !== 'borrowed' && (onExitAction === null || !isPresent(leaver));
    if (isHungUp || participant === undefined) return [{ do: 'hang-up', leg, because }];
    const unwatch = watch(call, participant, false);
    if (origin === 'borrowed') return [...unwatch, { do: 'give-back', name: call.name, participant }];
    return [...unwatch, { do: 'run-exit-document', name: call.name, participant, because }];
  });
}
