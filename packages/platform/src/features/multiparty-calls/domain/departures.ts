import type { Instant } from '@jackfield/ports';
import { type CallStep, emit, ofAdding, watch, withParticipants } from './call-steps.ts';
import { maxDurationTimer } from './call-timers.ts';
import type { LetGoCause, MultipartyCall, MultipartyCallEffect } from './multiparty-call.ts';
import { type ExitCause, exited, isHeld, isPresent, type Participant } from './participant.ts';
import { audioChanges, beep } from './room-audio.ts';
import { withEdgeSound } from './room-plays.ts';
import { soundChanges } from './room-sounds.ts';
import { endOfDeparture, type TerminationCode } from './termination.ts';

/** Leaves the mix first; then the others hear the exit sound, or the call ends. */
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

/** Hangs up a participant that never joined. */
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

/** Lets go of the other phones of the winner's slot; `add-participant-completed` comes with the winner's join. */
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
      // A participant that never joined has no exit; its adding is completed, once for all rivals.
      waitedFor.add(gone.requestUuid);
      effects.push(...ofAdding('add-participant-completed', gone));
    }
  }
  return { state, effects };
}

/** Its leg is gone, so no document can run: the URL receives a callback instead. */
function exitAction(participant: Participant): readonly MultipartyCallEffect[] {
  const { onExitAction: request, exitCause } = participant;
  if (request === null || exitCause !== 'Participant Call Hangup') return [];
  return [{ do: 'emit', event: { type: 'exit-action', participant, request } }];
}

/** `before`: the call with the participants whose departure ends it. */
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
 * Runs after the participants are out of the mix: legs are hung up, or returned to their document. The requester lets go of legs that
 * are not handed over yet.
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
