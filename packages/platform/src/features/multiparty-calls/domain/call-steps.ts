import type { Step } from '@jackfield/ports';
import type {
  MultipartyCall,
  MultipartyCallEffect,
  MultipartyCallReply,
  ParticipantEventType,
  Refusal,
} from './multiparty-call.ts';
import { isRequestedOf } from './multiparty-call.ts';
import type { Participant } from './participant.ts';

export type CallStep = Step<MultipartyCall, MultipartyCallEffect>;

/** Groups of docs/interface/multiparty-calls.md#status-callbacks that need voice detection or keys. */
export const speakEvents = 'participant-speak-events';
export const digitEvents = 'participant-digit-input-events';

export function withParticipants(
  call: MultipartyCall,
  change: (participant: Participant) => Participant,
): MultipartyCall {
  return { ...call, participants: call.participants.map(change) };
}

export function watch(
  call: MultipartyCall,
  participant: Participant,
  watched: boolean,
): readonly MultipartyCallEffect[] {
  const { leg } = participant;
  return isRequestedOf(call, participant, speakEvents) ? [{ do: 'watch-voice', leg, watched }] : [];
}

/** Events of adding by the API; a document that joins its own caller emits none. */
export function ofAdding(
  type: 'add-participant-initiated' | 'add-participant-completed',
  participant: Participant,
): readonly MultipartyCallEffect[] {
  return participant.origin === 'borrowed' ? [] : [emit(type, participant)];
}

export const started: MultipartyCallEffect = { do: 'emit', event: { type: 'started' } };

export function emit(type: ParticipantEventType, participant: Participant): MultipartyCallEffect {
  return { do: 'emit', event: { type, participant } };
}

export function reply(answer: MultipartyCallReply): MultipartyCallEffect {
  return { do: 'reply', reply: answer };
}

export function refused(call: MultipartyCall, refusal: Refusal): CallStep {
  return { state: call, effects: [reply(refusal)] };
}

export function withReply({ state, effects }: CallStep): CallStep {
  return { state, effects: [...effects, reply('done')] };
}
