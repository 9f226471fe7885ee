import type { CallbackTarget, Instant, OutboxEvent } from '../../kernel/machine.ts';
import { timestampWithOffset } from '../../kernel/timestamps.ts';
import { isTold, type MultipartyCall, type MultipartyCallEvent } from './domain/multiparty-call.ts';

/** Names of conventions.md §10.1. */
const eventNames: Readonly<Record<MultipartyCallEvent['type'], string>> = {
  initialized: 'MPCInitialized',
  started: 'MPCStart',
  ended: 'MPCEnd',
  'participant-joined': 'ParticipantJoin',
  'participant-exited': 'ParticipantExit',
  'participant-muted': 'ParticipantMute',
  'participant-unmuted': 'ParticipantUnmute',
  'participant-held': 'ParticipantHold',
  'participant-unheld': 'ParticipantUnhold',
  'coaching-started': 'ParticipantCoachModeStart',
  'coaching-stopped': 'ParticipantCoachModeStop',
  'participant-speaking': 'ParticipantSpeakStart',
  'participant-silent': 'ParticipantSpeakStop',
  'participant-digit': 'ParticipantDigitInput',
  'add-participant-initiated': 'AddParticipantByAPIActionInitiated',
  'add-participant-completed': 'AddParticipantByAPIActionCompleted',
};

const aboutAdding: readonly MultipartyCallEvent['type'][] = [
  'add-participant-initiated',
  'add-participant-completed',
];

/** Groups of events that a status callback asks for (conventions.md §10.1). */
const eventGroups: Readonly<Record<MultipartyCallEvent['type'], string>> = {
  initialized: 'mpc-state-changes',
  started: 'mpc-state-changes',
  ended: 'mpc-state-changes',
  'participant-joined': 'participant-state-changes',
  'participant-exited': 'participant-state-changes',
  'participant-muted': 'participant-state-changes',
  'participant-unmuted': 'participant-state-changes',
  'participant-held': 'participant-state-changes',
  'participant-unheld': 'participant-state-changes',
  'coaching-started': 'participant-state-changes',
  'coaching-stopped': 'participant-state-changes',
  'participant-speaking': 'participant-speak-events',
  'participant-silent': 'participant-speak-events',
  'participant-digit': 'participant-digit-input-events',
  'add-participant-initiated': 'add-participant-api-events',
  'add-participant-completed': 'add-participant-api-events',
};

/** What the outbox keeps of a change; `call` is the state after it. Deliveries of one call keep their order. */
export function outboxEventOf(call: MultipartyCall, event: MultipartyCallEvent, now: Instant): OutboxEvent {
  return {
    type: `multiparty-call.${event.type}`,
    account: call.account,
    mainAccount: call.mainAccount,
    resource: `multiparty-call/${call.uuid}`,
    payload: {
      EventName: eventNames[event.type],
      EventTimestamp: timestampWithOffset(now),
      MPCUUID: call.uuid,
      MPCName: call.name,
      ...('participant' in event ? fieldsOfParticipant(event) : {}),
      ...(event.type === 'ended' ? fieldsOfEnd(call) : {}),
    },
    ...targetOf(call, event),
  };
}

function targetOf(call: MultipartyCall, event: MultipartyCallEvent): { callback?: CallbackTarget } {
  const { statusCallback: wanted } = call;
  if (wanted === null || !isTold(call, eventGroups[event.type])) return {};
  return { callback: { url: wanted.url, method: wanted.method } };
}

function fieldsOfParticipant(event: Extract<MultipartyCallEvent, { participant: unknown }>) {
  const { participant } = event;
  return {
    MemberID: String(participant.memberId),
    ParticipantRole: participant.role,
    ParticipantCallUUID: participant.leg,
    ParticipantCoachMode: participant.coachMode,
    ...(aboutAdding.includes(event.type) ? { RequestUUID: participant.requestUuid } : {}),
    // The name of this field is not published: both that are likely.
    ...(event.type === 'participant-digit' ? { Digit: event.digit, Digits: event.digit } : {}),
  };
}

function fieldsOfEnd(call: MultipartyCall) {
  const { startedAt, endedAt, billedSeconds } = call;
  const duration = startedAt === null || endedAt === null ? 0 : Math.round((endedAt - startedAt) / 1000);
  return { MPCDuration: duration, MPCBilledDuration: billedSeconds, MPCBilledAmount: '0.00000' };
}
