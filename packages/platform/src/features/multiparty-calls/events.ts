import type { Instant } from '@jackfield/ports';
import { type CallbackTarget, type OutboxEvent, replayResource } from '../../kernel/kernel-effects.ts';
import { timestampWithOffset } from '../../kernel/timestamps.ts';
import { amountText } from '../usage/index.ts';
import type { HearingChange, HearingEdge } from './domain/hearing-change.ts';
import { isRequested, type MultipartyCall, type MultipartyCallEvent } from './domain/multiparty-call.ts';
import type { Participant } from './domain/participant.ts';
import { exitFieldsOf } from './rooms/exit-fields.ts';

/** Events of status callbacks. */
type ReportedEvent = Exclude<MultipartyCallEvent, { readonly type: 'exit-action' | 'speak-over' }>;

/** Names of docs/interface/multiparty-calls.md#status-callbacks. */
const eventNames: Readonly<Record<ReportedEvent['type'], string>> = {
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

/** Groups of events that a status callback asks for (docs/interface/multiparty-calls.md#status-callbacks). */
const eventGroups: Readonly<Record<ReportedEvent['type'], string>> = {
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

/**
 * The event of a change for the outbox, and a copy for the status callback of its participant, if it has one. `call` is the state
 * after the change. Deliveries of one call to one receiver keep their order.
 */
export function outboxEventsOf(
  call: MultipartyCall,
  event: MultipartyCallEvent,
  now: Instant,
): readonly [OutboxEvent, ...OutboxEvent[]] {
  const reported = outboxEventOf(call, event, now);
  const callback = targetOfParticipant(call, event);
  if (callback === undefined) return [reported];
  // A separate order from that of the call, so that neither receiver waits for the other.
  const resource = `${replayResource}${reported.resource}/${callback.url}`;
  return [reported, { ...reported, resource, callback: { ...callback, loggedResource: reported.resource } }];
}

/** Edges in each list of the event: a large call has as many as the square of its participants. */
const shownEdges = 100;

/** For the event stream alone: who hears whom changed. */
export function hearingEventOf(call: MultipartyCall, { at, opened, closed }: HearingChange): OutboxEvent {
  const shown = (edges: readonly HearingEdge[]) =>
    edges.slice(0, shownEdges).map(({ listener, speaker, isCoach }) => ({
      Listener: String(listener),
      Speaker: String(speaker),
      Coaching: isCoach,
    }));
  return {
    type: 'multiparty-call.hearing-changed',
    account: call.account,
    mainAccount: call.mainAccount,
    resource: `multiparty-call/${call.uuid}`,
    payload: {
      EventName: 'MPCHearingChange',
      EventTimestamp: timestampWithOffset(at),
      MPCUUID: call.uuid,
      MPCName: call.name,
      Opened: shown(opened),
      Closed: shown(closed),
      IsCut: opened.length > shownEdges || closed.length > shownEdges,
    },
  };
}

function outboxEventOf(call: MultipartyCall, event: MultipartyCallEvent, now: Instant): OutboxEvent {
  const about = {
    type: `multiparty-call.${event.type}`,
    account: call.account,
    mainAccount: call.mainAccount,
    resource: `multiparty-call/${call.uuid}`,
  };
  if (event.type === 'exit-action') {
    const { url, method } = event.request;
    return { ...about, payload: fieldsOfExit(call, event.participant), callback: { url, method } };
  }
  if (event.type === 'speak-over') {
    const { request, memberIds, outcome } = event;
    const payload = {
      // The documentation of the hosted service gives neither its name nor its fields.
      EventName: 'MPCSpeakCompleted',
      EventTimestamp: timestampWithOffset(now),
      MPCUUID: call.uuid,
      MPCName: call.name,
      MemberID: memberIds.join(),
      Status: outcome,
    };
    return { ...about, payload, callback: { url: request.url, method: request.method } };
  }
  return {
    ...about,
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

/** docs/interface/multiparty-calls.md#exit-actions, with the parameters of an ended call (docs/interface/calls.md#request-parameters). */
function fieldsOfExit(call: MultipartyCall, participant: Participant) {
  const { leg, spec, requestUuid, callParameters } = participant;
  const dialled = {
    CallUUID: leg,
    RequestUUID: requestUuid,
    From: spec.from,
    To: spec.to,
    CallerName: spec.callerName,
    Direction: 'outbound',
    ParentAuthID: call.mainAccount,
  };
  return {
    ...(callParameters ?? dialled),
    CallStatus: 'completed',
    Event: 'Redirect',
    ...exitFieldsOf(call, participant),
  };
}

function targetOf(call: MultipartyCall, event: ReportedEvent): { callback?: CallbackTarget } {
  const { statusCallback: requested } = call;
  if (requested === null || !isRequested(requested, eventGroups[event.type])) return {};
  return { callback: { url: requested.url, method: requested.method } };
}

/** Undefined for the URL of the call: it receives one request. */
function targetOfParticipant(call: MultipartyCall, event: MultipartyCallEvent): CallbackTarget | undefined {
  if (!('participant' in event) || event.type === 'exit-action') return undefined;
  const { statusCallback: own } = event.participant;
  if (own === null || !isRequested(own, eventGroups[event.type])) return undefined;
  if (targetOf(call, event).callback?.url === own.url) return undefined;
  return { url: own.url, method: own.method };
}

function fieldsOfParticipant(event: Extract<ReportedEvent, { participant: unknown }>) {
  const { participant } = event;
  return {
    MemberID: String(participant.memberId),
    ParticipantRole: participant.role,
    ParticipantCallUUID: participant.leg,
    ParticipantCoachMode: participant.coachMode,
    ...(aboutAdding.includes(event.type) ? { RequestUUID: participant.requestUuid } : {}),
    // The documentation of the hosted service does not name this field, so both likely names are sent.
    ...(event.type === 'participant-digit' ? { Digit: event.digit, Digits: event.digit } : {}),
  };
}

function fieldsOfEnd(call: MultipartyCall) {
  const { startedAt, endedAt, billed } = call;
  const duration =
    startedAt === null || endedAt === null ? 0 : Math.max(0, Math.round((endedAt - startedAt) / 1000));
  return {
    MPCDuration: duration,
    MPCBilledDuration: billed.seconds,
    MPCBilledAmount: amountText(billed.units),
  };
}
