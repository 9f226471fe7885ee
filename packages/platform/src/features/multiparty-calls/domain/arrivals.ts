import { type Instant, stay } from '@jackfield/ports';
import {
  type CallStep,
  emit,
  ofAdding,
  refused,
  reply,
  started,
  watch,
  withParticipants,
  withReply,
} from './call-steps.ts';
import { maxDurationTimer } from './call-timers.ts';
import { hungUp, lostRace } from './departures.ts';
import type { MultipartyCall, MultipartyCallEffect, Rivals } from './multiparty-call.ts';
import {
  addedParticipant,
  confirming,
  dialled,
  isAgent,
  isCalled,
  isPresent,
  joined,
  type Participant,
  ringing,
  slotsOf,
} from './participant.ts';
import { audioChanges, beep } from './room-audio.ts';
import { withEdgeSound } from './room-plays.ts';

export function created(call: MultipartyCall, rivals: Rivals, now: Instant): CallStep {
  const startsAtOnce = starts(call, rivals[0]);
  const first = added(startsAtOnce ? { ...call, status: 'active', startedAt: now } : call, rivals, now);
  return {
    state: withParticipants(first.state, (each) => ({ ...each, hasStarted: startsAtOnce })),
    effects: [
      { do: 'open-mix' },
      // docs/interface/multiparty-calls.md#states: max_duration counts from initiation.
      { do: 'start-timer', key: maxDurationTimer, at: call.createdAt + call.maxDurationSeconds * 1000 },
      { do: 'emit', event: { type: startsAtOnce ? 'started' : 'initialized' } },
      ...first.effects,
    ],
  };
}

export function added(call: MultipartyCall, rivals: Rivals, now: Instant): CallStep {
  const { maxParticipants, participants } = call;
  const known = participants.find(({ leg }) => rivals.some((each) => each.leg === leg));
  if (known !== undefined) return refused(call, { because: 'already-in', memberId: known.memberId });
  if (slotsOf(participants) >= maxParticipants) return refused(call, { because: 'full', maxParticipants });
  const newcomers = rivals.map((each) => addedParticipant(each, now));
  const [first] = newcomers;
  const state = { ...call, participants: [...participants, ...newcomers] };
  return {
    state,
    effects: [
      ...(first === undefined ? [] : ofAdding('add-participant-initiated', first)),
      ...audioChanges(call, state),
      ...newcomers.filter(({ phase }) => phase === 'dialling').flatMap((each) => dial(call, each)),
      reply('done'),
    ],
  };
}

/** The delay_dial of a participant is over. */
export function delayOver(call: MultipartyCall, leg: string): CallStep {
  const before = call.participants.find((each) => each.leg === leg);
  if (before?.phase !== 'delayed') return stay(call);
  const after = dialled(before);
  const state = replaced(call, before, after);
  return { state, effects: [...audioChanges(call, state), ...dial(call, after)] };
}

function dial(
  { account, mainAccount, name, maxDurationSeconds }: MultipartyCall,
  participant: Participant,
): readonly MultipartyCallEffect[] {
  if (participant.origin !== 'dialled') return [];
  return [{ do: 'dial', call: { account, mainAccount, name, maxDurationSeconds }, participant }];
}

/** Joins at once, unless its phone has not answered yet. */
export function legHere(call: MultipartyCall, leg: string, isAnswered: boolean, now: Instant): CallStep {
  const participant = call.participants.find((each) => each.leg === leg);
  // Kicked or lost during the handover.
  if (participant === undefined) return refused(call, { because: 'gone' });
  const rung = legRinging(call, leg);
  if (!isAnswered) return withReply(rung);
  // From here on this call hangs the leg up or gives it back, if the participant does not join.
  const answered = legAnswered(rung.state, leg, now);
  return withReply({ state: answered.state, effects: [...rung.effects, ...answered.effects] });
}

export function legRinging(call: MultipartyCall, leg: string): CallStep {
  const before = call.participants.find((each) => each.leg === leg);
  if (before === undefined || ringing(before) === before) return stay(call);
  const state = replaced(call, before, ringing(before));
  return { state, effects: audioChanges(call, state) };
}

export function legAnswered(call: MultipartyCall, leg: string, now: Instant): CallStep {
  const before = call.participants.find((each) => each.leg === leg);
  if (before === undefined || !isCalled(before)) return stay(call);
  if (before.confirmation === null) return enters(call, before, now);
  const state = replaced(call, before, confirming(before));
  return { state, effects: audioChanges(call, state) };
}

/** The requested key admits the participant; any other key ends its leg. */
export function legConfirms(call: MultipartyCall, leg: string, digit: string, now: Instant): CallStep {
  const before = call.participants.find((each) => each.leg === leg);
  if (before?.phase !== 'confirming') return stay(call);
  if (digit === before.confirmation?.key) return enters(call, before, now);
  return hungUp(call, before, 'not-confirmed', now);
}

export function confirmationOver(call: MultipartyCall, leg: string, now: Instant): CallStep {
  const before = call.participants.find((each) => each.leg === leg);
  return before?.phase === 'confirming' ? hungUp(call, before, 'not-confirmed', now) : stay(call);
}

function enters(before: MultipartyCall, pending: Participant, now: Instant): CallStep {
  if (pending.joinsOthersOnly && !before.participants.some(isPresent)) {
    return hungUp(before, pending, 'alone', now);
  }
  const race = lostRace(before, pending, now);
  const call = race.state;
  const startsNow = call.status === 'initialized' && starts(call, pending);
  const entered = joined(pending, now);
  const participant = startsNow ? { ...entered, hasStarted: true } : entered;
  const { leg } = participant;
  // A call that was created active starts at its creation, until the first join moves the start.
  const isFirst = call.status === 'active' && !call.wasJoined;
  const state: MultipartyCall = {
    ...replaced(call, pending, participant),
    status: startsNow ? 'active' : call.status,
    startedAt: startsNow || isFirst ? now : call.startedAt,
    wasJoined: true,
  };
  return {
    state: withEdgeSound(state, 'enter', participant),
    effects: [
      ...audioChanges(before, state),
      ...beep(state, `enter:${leg}`, participant.enterSound, participant),
      ...race.effects,
      ...watch(state, participant, true),
      ...(startsNow ? [started] : []),
      emit('participant-joined', participant),
      ...ofAdding('add-participant-completed', participant),
    ],
  };
}

/** docs/interface/multiparty-calls.md#waiting: start_mpc_on_enter, and waitForAgent, with which only agents start the call. */
function starts(
  { waitsForAgent }: Pick<MultipartyCall, 'waitsForAgent'>,
  { startsOnEnter, role }: Pick<Participant, 'startsOnEnter' | 'role'>,
): boolean {
  return startsOnEnter && (!waitsForAgent || isAgent(role));
}

function replaced(call: MultipartyCall, before: Participant, after: Participant): MultipartyCall {
  return withParticipants(call, (each) => (each === before ? after : each));
}
