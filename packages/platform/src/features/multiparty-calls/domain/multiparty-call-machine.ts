import type { Instant, Machine, Step } from '../../../kernel/machine.ts';
import type {
  Members,
  MultipartyCall,
  MultipartyCallEffect,
  MultipartyCallInput,
  MultipartyCallReply,
  ParticipantEventType,
  Refusal,
} from './multiparty-call.ts';
import {
  billedSeconds,
  dialledParticipant,
  type ExitCause,
  exited,
  isPending,
  isPresent,
  joined,
  type Participant,
  ringing,
  type Switches,
  switched,
  type WantedParticipant,
} from './participant.ts';
import { audioChanges, beep } from './room-audio.ts';
import { endOfDeparture, type TerminationCode } from './termination.ts';

type CallStep = Step<MultipartyCall, MultipartyCallEffect>;

export const multipartyCallMachine: Machine<MultipartyCall, MultipartyCallInput, MultipartyCallEffect> = {
  step,
};

const maxDurationTimer = 'max-duration';

function step(call: MultipartyCall, input: MultipartyCallInput, now: Instant): CallStep {
  if (call.status === 'ended') {
    return isAsked(input) ? { state: call, effects: [reply({ because: 'ended' })] } : stay(call);
  }
  const live = withoutExited(call);
  const next = stepLive(live, input, now);
  return next.state === live ? { state: call, effects: next.effects } : next;
}

function stepLive(call: MultipartyCall, input: MultipartyCallInput, now: Instant): CallStep {
  switch (input.type) {
    case 'created':
      return created(call, input.participant, input.startsAtOnce, now);
    case 'add-participant':
      return added(call, input.participant, now);
    case 'leg-ringing':
      return legRinging(call, input.leg);
    case 'leg-answered':
      return legAnswered(call, input.leg, now);
    case 'leg-ended':
      return legEnded(call, input.leg, now);
    case 'activate':
      return activated(call, now);
    case 'end':
      return withReply(ended(call, 3000, now));
    case 'update':
      return updated(call, input.members, input.switches);
    case 'kick':
      return kicked(call, input.members, now);
    case 'timer-fired':
      return ended(call, 2000, now);
    case 'process-restarted':
      return restarted(call, now);
  }
}

function created(
  call: MultipartyCall,
  participant: WantedParticipant,
  startsAtOnce: boolean,
  now: Instant,
): CallStep {
  const first = added(startsAtOnce ? { ...call, status: 'active', startedAt: now } : call, participant, now);
  return {
    state: first.state,
    effects: [
      { do: 'open-mix' },
      // interface.md: max_duration counts from initiation.
      { do: 'start-timer', key: maxDurationTimer, at: call.createdAt + call.maxDurationSeconds * 1000 },
      { do: 'emit', event: { type: startsAtOnce ? 'started' : 'initialized' } },
      ...first.effects,
    ],
  };
}

function added(call: MultipartyCall, wanted: WantedParticipant, now: Instant): CallStep {
  const { maxParticipants, participants } = call;
  if (participants.length >= maxParticipants) return refused(call, { because: 'full', maxParticipants });
  const participant = dialledParticipant(wanted, now);
  return {
    state: { ...call, participants: [...participants, participant] },
    effects: [
      emit('add-participant-initiated', participant),
      { do: 'dial', account: call.account, participant },
      reply('done'),
    ],
  };
}

function legRinging(call: MultipartyCall, leg: string): CallStep {
  const participant = call.participants.find((each) => each.leg === leg);
  if (participant === undefined || ringing(participant) === participant) return stay(call);
  return stay(withParticipants(call, (each) => (each === participant ? ringing(each) : each)));
}

function legAnswered(call: MultipartyCall, leg: string, now: Instant): CallStep {
  const pending = call.participants.find((each) => each.leg === leg);
  if (pending === undefined || !isPending(pending)) return stay(call);
  const participant = joined(pending, now);
  const starts = call.status === 'initialized' && participant.startsOnEnter;
  // A call that was created active has its start when it was asked for, until somebody is there to start it.
  const isFirst = call.status === 'active' && !call.wasJoined;
  const state: MultipartyCall = {
    ...withParticipants(call, (each) => (each === pending ? participant : each)),
    status: starts ? 'active' : call.status,
    startedAt: starts || isFirst ? now : call.startedAt,
    wasJoined: true,
  };
  return {
    state,
    effects: [
      ...audioChanges(call, state),
      ...beep(state, `enter:${leg}`, participant.enterSound),
      ...(starts ? [started] : []),
      emit('participant-joined', participant),
      emit('add-participant-completed', participant),
    ],
  };
}

function legEnded(call: MultipartyCall, leg: string, now: Instant): CallStep {
  const participant = call.participants.find((each) => each.leg === leg);
  if (participant === undefined) return stay(call);
  return departed(call, [participant], 'Participant Call Hangup', now);
}

function activated(call: MultipartyCall, now: Instant): CallStep {
  if (call.status !== 'initialized') return refused(call, { because: 'not-initialized' });
  const state: MultipartyCall = { ...call, status: 'active', startedAt: now };
  return { state, effects: [...audioChanges(call, state), started, reply('done')] };
}

function updated(call: MultipartyCall, members: Members, wanted: Partial<Switches>): CallStep {
  const chosen = choose(call, members);
  if ('because' in chosen) return refused(call, chosen);
  const other = chosen.find((each) => each.role !== 'supervisor');
  if (wanted.coachMode !== undefined && other !== undefined) {
    return refused(call, { because: 'not-a-supervisor', memberId: other.memberId });
  }
  const effects: MultipartyCallEffect[] = [];
  const toggled: Participant[] = [];
  const participants = call.participants.map((before) => {
    const after = chosen.includes(before) ? switched(before, wanted) : before;
    effects.push(...switchEvents(before, after));
    if (before.coachMode !== after.coachMode && isPresent(after)) toggled.push(after);
    return after;
  });
  if (participants.every((each, index) => each === call.participants[index])) {
    return withReply(stay(call));
  }
  const state = { ...call, participants };
  return {
    state,
    effects: [
      ...audioChanges(call, state),
      // conventions.md §9.3: a change of coach mode is announced by one beep.
      ...toggled.flatMap((each) => beep(state, `coach:${each.leg}`, 'beep:1')),
      ...effects,
      reply('done'),
    ],
  };
}

function kicked(call: MultipartyCall, members: Members, now: Instant): CallStep {
  const chosen = choose(call, members);
  if ('because' in chosen) return refused(call, chosen);
  const left = departed(call, chosen, 'Kicked Out of Multiparty Call', now);
  const hangUps = chosen.map(({ leg }): MultipartyCallEffect => ({ do: 'hang-up', leg, because: 'kicked' }));
  return withReply({ state: left.state, effects: [...left.effects, ...hangUps] });
}

/** Out of the mix first, then the sound of leaving for those who stay, or the end of the call. */
function departed(
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
    effects.push(emit(isPresent(each) ? 'participant-exited' : 'add-participant-completed', gone));
    return gone;
  });
  return { state: { ...state, billedSeconds: seconds }, effects };
}

function ended(call: MultipartyCall, termination: TerminationCode, now: Instant): CallStep {
  const live = call.participants.filter((each) => each.phase !== 'exited');
  const left = leaving(call, live, 'Multiparty Call Ended', now);
  return {
    state: { ...left.state, status: 'ended', endedAt: now, termination },
    effects: [
      { do: 'close-mix' },
      { do: 'cancel-timer', key: maxDurationTimer },
      ...live.map(({ leg }): MultipartyCallEffect => ({ do: 'hang-up', leg, because: 'call-ended' })),
      ...left.effects,
      { do: 'emit', event: { type: 'ended' } },
    ],
  };
}

/** Legs, mix and timer died with the process; what is left to do is to say so. */
function restarted(call: MultipartyCall, now: Instant): CallStep {
  const end = ended(call, 1000, now);
  return { state: end.state, effects: end.effects.filter((effect) => effect.do === 'emit') };
}

function choose(call: MultipartyCall, members: Members): readonly Participant[] | Refusal {
  if (members === 'all') return call.participants;
  const unknown = members.find((id) => !call.participants.some(({ memberId }) => memberId === id));
  if (unknown !== undefined) return { because: 'no-such-member', memberId: unknown };
  return call.participants.filter(({ memberId }) => members.includes(memberId));
}

function switchEvents(before: Participant, after: Participant): readonly MultipartyCallEffect[] {
  const events: MultipartyCallEffect[] = [];
  const tell = (was: boolean, is: boolean, on: ParticipantEventType, off: ParticipantEventType) => {
    if (was !== is) events.push(emit(is ? on : off, after));
  };
  tell(before.mute, after.mute, 'participant-muted', 'participant-unmuted');
  tell(before.hold, after.hold, 'participant-held', 'participant-unheld');
  tell(before.coachMode, after.coachMode, 'coaching-started', 'coaching-stopped');
  return events;
}

function withoutExited(call: MultipartyCall): MultipartyCall {
  return call.participants.some((each) => each.phase === 'exited')
    ? { ...call, participants: call.participants.filter((each) => each.phase !== 'exited') }
    : call;
}

function withParticipants(
  call: MultipartyCall,
  change: (participant: Participant) => Participant,
): MultipartyCall {
  return { ...call, participants: call.participants.map(change) };
}

function isAsked(input: MultipartyCallInput): boolean {
  return ['add-participant', 'activate', 'end', 'update', 'kick'].includes(input.type);
}

const started: MultipartyCallEffect = { do: 'emit', event: { type: 'started' } };

function emit(type: ParticipantEventType, participant: Participant): MultipartyCallEffect {
  return { do: 'emit', event: { type, participant } };
}

function reply(answer: MultipartyCallReply): MultipartyCallEffect {
  return { do: 'reply', reply: answer };
}

function refused(call: MultipartyCall, refusal: Refusal): CallStep {
  return { state: call, effects: [reply(refusal)] };
}

function withReply({ state, effects }: CallStep): CallStep {
  return { state, effects: [...effects, reply('done')] };
}

function stay(state: MultipartyCall): CallStep {
  return { state, effects: [] };
}
