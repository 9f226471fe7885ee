import { type Instant, type Machine, stay } from '@jackfield/ports';
import {
  added,
  confirmationOver,
  created,
  delayOver,
  legAnswered,
  legConfirms,
  legHere,
  legRinging,
} from './arrivals.ts';
import {
  type CallStep,
  digitEvents,
  emit,
  refused,
  reply,
  speakEvents,
  started,
  withParticipants,
  withReply,
} from './call-steps.ts';
import { readTimer, timerChanges } from './call-timers.ts';
import { departed, ended, letGo } from './departures.ts';
import { whoHearsWhom } from './hearing.ts';
import {
  isRequestedOf,
  type Members,
  type MultipartyCall,
  type MultipartyCallEffect,
  type MultipartyCallInput,
  type ParticipantEventType,
  type Refusal,
} from './multiparty-call.ts';
import {
  type ExitCause,
  isCalled,
  isPresent,
  type Participant,
  type Switches,
  switched,
} from './participant.ts';
import { audioChanges, beep } from './room-audio.ts';
import { playChanges, playedTo, playStopped, soundOver, withoutGone } from './room-plays.ts';

export const multipartyCallMachine: Machine<MultipartyCall, MultipartyCallInput, MultipartyCallEffect> = {
  step,
};

function step(call: MultipartyCall, input: MultipartyCallInput, now: Instant): CallStep {
  if (call.status === 'ended') {
    return isAsked(input) ? { state: call, effects: [reply({ because: 'ended' })] } : stay(call);
  }
  const live = withoutExited(call);
  const step = stepLive(live, input, now);
  const state = withoutGone(step.state);
  const plays = playChanges(live, state, input.type === 'sound-over' ? input : null);
  // The hearing table comes first: an order before it would run with the edges of the old state.
  const [table, orders] =
    step.effects[0]?.do === 'set-hearing'
      ? [step.effects.slice(0, 1), step.effects.slice(1)]
      : [[], step.effects];
  const next = { state, effects: [...table, ...plays.first, ...orders, ...plays.last] };
  if (next.state === live) return { state: call, effects: next.effects };
  if (input.type === 'process-restarted') return next;
  const before = input.type === 'created' ? null : live;
  return { state: next.state, effects: [...next.effects, ...timerChanges(before, next.state, now)] };
}

function stepLive(call: MultipartyCall, input: MultipartyCallInput, now: Instant): CallStep {
  switch (input.type) {
    case 'created':
      return created(call, input.rivals, now);
    case 'add-participant':
      return added(call, input.rivals, now);
    case 'leg-ringing':
      return legRinging(call, input.leg);
    case 'leg-answered':
      return legAnswered(call, input.leg, now);
    case 'leg-ended':
      return legGone(call, input.leg, 'Participant Call Hangup', now);
    case 'leg-taken':
      return legGone(call, input.leg, 'Participant Call Transferred', now);
    case 'leg-here':
      return legHere(call, input.leg, input.isAnswered, now);
    case 'leg-digit':
      return legDigit(call, input.leg, input.digit, now);
    case 'leg-voice':
      return legVoice(call, input.leg, input.speaking);
    case 'activate':
      return activated(call, now);
    case 'end':
      return withReply(ended(call, 3000, now));
    case 'update':
      return updated(call, input.members, input.switches);
    case 'kick':
      return kicked(call, input.members, now);
    case 'cancel-request':
      return requestCancelled(call, input.requestUuid, now);
    case 'play': {
      const played = playedTo(call, input.requested, input.members);
      return 'because' in played ? refused(call, played) : withReply(stay(played));
    }
    case 'stop-play': {
      const stopped = playStopped(call, input.of, input.members);
      return 'because' in stopped ? refused(call, stopped) : withReply(stay(stopped));
    }
    case 'sound-over':
      return stay(soundOver(call, input.key, input.hasFailed));
    case 'timer-fired':
      return timerFired(call, input.key, now);
    case 'process-restarted':
      return restarted(call, input.diedAt);
  }
}

/** The participant left by itself, so there is no leg to let go. */
function legGone(call: MultipartyCall, leg: string, cause: ExitCause, now: Instant): CallStep {
  const participant = call.participants.find((each) => each.leg === leg);
  if (participant === undefined) return stay(call);
  return departed(call, [participant], cause, now);
}

function timerFired(call: MultipartyCall, key: string, now: Instant): CallStep {
  const timer = readTimer(key);
  switch (timer.kind) {
    case 'max-duration':
      return ended(call, 2000, now);
    case 'wait-for-agent':
      // docs/interface/multiparty-calls.md#waiting gives no cause for it; 1000, since no participant was active.
      return call.status === 'initialized' ? ended(call, 1000, now) : stay(call);
    case 'delay':
      return delayOver(call, timer.leg);
    case 'confirmation':
      return confirmationOver(call, timer.leg, now);
  }
}

function legDigit(call: MultipartyCall, leg: string, digit: string, now: Instant): CallStep {
  const participant = call.participants.find((each) => each.leg === leg);
  if (participant === undefined) return stay(call);
  if (participant.phase === 'confirming') return legConfirms(call, leg, digit, now);
  if (!isPresent(participant)) return stay(call);
  const effects: MultipartyCallEffect[] = [];
  if (participant.relaysDigits) {
    // Keys are sounds: they reach the listeners of the member, so no customer learns of a coach by them.
    const table = whoHearsWhom(call.participants.filter(isPresent), call.status === 'active');
    for (const listener of table) {
      if (listener.hears.includes(leg)) {
        effects.push({ do: 'send-digits', leg: listener.leg, digits: digit, pressedBy: leg });
      }
    }
  }
  // Digits may be secrets: without a request for digit events no event has them.
  if (isRequestedOf(call, participant, digitEvents)) {
    effects.push({ do: 'emit', event: { type: 'participant-digit', participant, digit } });
  }
  return { state: call, effects };
}

function legVoice(call: MultipartyCall, leg: string, speaking: boolean): CallStep {
  const before = call.participants.find((each) => each.leg === leg);
  // The first notice after the order gives the present state; silence is no change.
  if (before === undefined || !isPresent(before) || before.isSpeaking === speaking) return stay(call);
  if (!isRequestedOf(call, before, speakEvents)) return stay(call);
  const after = { ...before, isSpeaking: speaking };
  return {
    state: withParticipants(call, (each) => (each === before ? after : each)),
    effects: [emit(speaking ? 'participant-speaking' : 'participant-silent', after)],
  };
}

function activated(call: MultipartyCall, now: Instant): CallStep {
  if (call.status !== 'initialized') return refused(call, { because: 'not-initialized' });
  const state: MultipartyCall = { ...call, status: 'active', startedAt: now };
  return { state, effects: [...audioChanges(call, state), started, reply('done')] };
}

function updated(call: MultipartyCall, members: Members, requested: Partial<Switches>): CallStep {
  const chosen = choose(call, members);
  if ('because' in chosen) return refused(call, chosen);
  const other = chosen.find((each) => each.role !== 'supervisor');
  if (requested.coachMode !== undefined && other !== undefined) {
    return refused(call, { because: 'not-a-supervisor', memberId: other.memberId });
  }
  const effects: MultipartyCallEffect[] = [];
  const toggled: Participant[] = [];
  const participants = call.participants.map((before) => {
    const after = chosen.includes(before) ? switched(before, requested) : before;
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
      // docs/interface/multiparty-calls.md#adding-participants: a change of coach mode is announced by one beep.
      ...toggled.flatMap((each) => beep(state, `coach:${each.leg}`, 'beep:1', 'all')),
      ...effects,
      reply('done'),
    ],
  };
}

function kicked(call: MultipartyCall, members: Members, now: Instant): CallStep {
  const chosen = choose(call, members);
  if ('because' in chosen) return refused(call, chosen);
  const left = departed(call, chosen, 'Kicked Out of Multiparty Call', now);
  return withReply({
    state: left.state,
    effects: [...left.effects, ...letGo(left.state, chosen, 'kicked')],
  });
}

function requestCancelled(call: MultipartyCall, requestUuid: string, now: Instant): CallStep {
  const waiting = call.participants.filter(
    (each) =>
      each.requestUuid === requestUuid &&
      each.origin === 'dialled' &&
      (each.phase === 'delayed' || isCalled(each)),
  );
  if (waiting.length === 0) return refused(call, { because: 'none-waits', requestUuid });
  const left = departed(call, waiting, 'Participant Call Hangup', now);
  return withReply({
    state: left.state,
    effects: [...left.effects, ...letGo(left.state, waiting, 'request-cancelled')],
  });
}

/**
 * Legs, mix and timers died with the process, so only events are emitted. The call ended at `diedAt`, or at its last record if that is
 * later.
 */
function restarted(call: MultipartyCall, diedAt: Instant): CallStep {
  const known = call.participants.map(({ addedAt, joinedAt }) => joinedAt ?? addedAt);
  const since = Math.max(call.startedAt ?? call.createdAt, ...known);
  const latest = call.createdAt + call.maxDurationSeconds * 1000;
  const end = ended(call, 1000, Math.max(since, Math.min(diedAt, latest)));
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
  const report = (was: boolean, is: boolean, on: ParticipantEventType, off: ParticipantEventType) => {
    if (was !== is) events.push(emit(is ? on : off, after));
  };
  report(before.mute, after.mute, 'participant-muted', 'participant-unmuted');
  report(before.hold, after.hold, 'participant-held', 'participant-unheld');
  report(before.coachMode, after.coachMode, 'coaching-started', 'coaching-stopped');
  return events;
}

function withoutExited(call: MultipartyCall): MultipartyCall {
  return call.participants.some((each) => each.phase === 'exited')
    ? { ...call, participants: call.participants.filter((each) => each.phase !== 'exited') }
    : call;
}

function isAsked(input: MultipartyCallInput): boolean {
  const asked: readonly string[] = [
    'add-participant',
    'leg-here',
    'activate',
    'end',
    'update',
    'kick',
    'cancel-request',
    'play',
    'stop-play',
  ];
  return asked.includes(input.type);
}
