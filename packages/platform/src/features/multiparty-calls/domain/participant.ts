import type { Instant, LegSpec } from '@jackfield/ports';
import type { NewStream } from '../../streams/index.ts';
import type { Rate } from '../../usage/index.ts';

/**
 * One phone in a multiparty call.
 *
 *   delayed → dialling → ringing → confirming → joined → exited
 *
 * Every phase can go to `exited`, and does so once; `delayed` and `confirming` are for those who are asked to. A leg that was
 * there before is `dialling` until it has been handed over, and `ringing` if nobody had answered it by then.
 */
export interface Participant extends WantedParticipant {
  readonly phase: ParticipantPhase;
  readonly addedAt: Instant;
  readonly joinedAt: Instant | null;
  readonly exitedAt: Instant | null;
  readonly exitCause: ExitCause | null;
  /** Null until it has left. */
  readonly bill: ParticipantBill | null;
  /** As far as somebody asked for it (`participant-speak-events`). */
  readonly isSpeaking: boolean;
  /** The call became active by its being added or entering. */
  readonly hasStarted: boolean;
}

export interface ParticipantBill {
  readonly seconds: number;
  /** 1e-5 of the currency's unit. */
  readonly units: number;
}

export type ParticipantPhase = 'delayed' | 'dialling' | 'ringing' | 'confirming' | 'joined' | 'exited';

/** What the one who adds a participant decides. */
export interface WantedParticipant extends Switches {
  readonly memberId: number;
  /** Call UUID of its leg. */
  readonly leg: string;
  /** Phones that were added together share it: they are rivals for one place, and the first to join has it. */
  readonly requestUuid: string;
  readonly origin: Origin;
  readonly role: Role;
  /** Of its leg: as it is dialled, or the parties of a leg that was there before. */
  readonly spec: LegSpec;
  readonly startsOnEnter: boolean;
  readonly endsOnExit: boolean;
  readonly enterSound: EdgeSound;
  readonly exitSound: EdgeSound;
  /** Dialled so much later. */
  readonly delaySeconds: number;
  /** What its phone has to press before it joins; null: nothing. */
  readonly confirmation: Confirmation | null;
  readonly dialMusic: DialMusic;
  /** Its digits are sent on to those who hear it. */
  readonly relaysDigits: boolean;
  /** Joins only somebody who is there. */
  readonly joinsOthersOnly: boolean;
  readonly callStatusCallback: Callback | null;
  /** Told of this participant alone, besides that of the call. */
  readonly statusCallback: StatusCallback | null;
  /** Of an ai-agent, and of nobody else; it is dialled by being connected. */
  readonly agent?: AgentStream;
  /** Of its leg. */
  readonly rate: Rate;
  /** Asked for a document when it leaves; of a borrowed leg, its own document does that. */
  readonly onExitAction: Callback | null;
}

export interface Confirmation {
  readonly key: string;
  /** Heard by its phone alone until then. */
  readonly sound: Callback | null;
}

/** Heard while the phone is called by those who would hear nobody: ringback, nothing, or what is behind a URL. */
export type DialMusic = 'real' | 'none' | { readonly url: string };

/** What can be changed while the participant is in the call. */
export interface Switches {
  /** Only ever true for a supervisor. */
  readonly coachMode: boolean;
  readonly mute: boolean;
  readonly hold: boolean;
}

/**
 * Where its leg comes from: dialled for this call; taken from whatever it was in, for good; or borrowed from the document
 * that runs on it, which has it back when it leaves.
 */
export type Origin = 'dialled' | 'taken' | 'borrowed';

export type Role = 'agent' | 'supervisor' | 'customer' | 'ai-agent';

/** A program hears and counts as a person in its place (docs/interface/multiparty-calls.md#programs-as-agents). */
export function isAgent(role: Role): boolean {
  return role === 'agent' || role === 'ai-agent';
}

/** The WebSocket that an ai-agent has for a phone. */
export type AgentStream = Pick<NewStream, 'serviceUrl' | 'contentType' | 'extraHeaders' | 'statusCallback'>;

/** Heard by those in the conversation when a participant enters or leaves; what is behind a URL is audio or a document. */
export type EdgeSound = 'beep:1' | 'beep:2' | 'none' | Callback;

export interface Callback {
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

export interface StatusCallback extends Callback {
  /** Groups of events, comma-separated (docs/interface/multiparty-calls.md#status-callbacks). */
  readonly events: string;
}

export type ExitCause =
  | 'Participant Call Hangup'
  | 'Kicked Out of Multiparty Call'
  | 'Multiparty Call Ended'
  | 'Participant Call Transferred';

export function addedParticipant(wanted: WantedParticipant, now: Instant): Participant {
  return {
    ...wanted,
    coachMode: wanted.coachMode && wanted.role === 'supervisor',
    phase: wanted.delaySeconds > 0 ? 'delayed' : 'dialling',
    addedAt: now,
    joinedAt: null,
    exitedAt: null,
    exitCause: null,
    bill: null,
    isSpeaking: false,
    hasStarted: false,
  };
}

/** Its time to be called has come. */
export function dialled(participant: Participant): Participant {
  return participant.phase === 'delayed' ? { ...participant, phase: 'dialling' } : participant;
}

/** A phone that rings twice, or rings after it answered, changes nothing. */
export function ringing(participant: Participant): Participant {
  return participant.phase === 'dialling' ? { ...participant, phase: 'ringing' } : participant;
}

/** Answered, and asked for the key. */
export function confirming(participant: Participant): Participant {
  return isCalled(participant) ? { ...participant, phase: 'confirming' } : participant;
}

export function joined(participant: Participant, now: Instant): Participant {
  return isPending(participant) ? { ...participant, phase: 'joined', joinedAt: now } : participant;
}

export function exited(participant: Participant, cause: ExitCause, now: Instant): Participant {
  return participant.phase === 'exited'
    ? participant
    : { ...participant, phase: 'exited', exitedAt: now, exitCause: cause };
}

/** The same object when nothing differs, so that nothing is written. */
export function switched(participant: Participant, wanted: Partial<Switches>): Participant {
  const { coachMode = participant.coachMode, mute = participant.mute, hold = participant.hold } = wanted;
  const same = coachMode === participant.coachMode && mute === participant.mute && hold === participant.hold;
  return same ? participant : { ...participant, coachMode, mute, hold };
}

export function isPresent(participant: Participant): boolean {
  return participant.phase === 'joined';
}

/** Dialled or about to be handed over, and not answered yet. */
export function isCalled(participant: Participant): boolean {
  return participant.phase === 'dialling' || participant.phase === 'ringing';
}

/** Waited for: neither here nor lost yet. */
export function isPending(participant: Participant): boolean {
  const { phase } = participant;
  return phase === 'delayed' || phase === 'confirming' || isCalled(participant);
}

/** Its leg is ours to hang up or to give back: dialled by us, or handed over already. */
export function isHeld({ origin, phase }: Participant): boolean {
  return phase !== 'delayed' && (origin === 'dialled' || phase !== 'dialling');
}

/** Rivals take one place together (`max_participants`). */
export function placesOf(participants: readonly Participant[]): number {
  return new Set(participants.map(({ requestUuid }) => requestUuid)).size;
}

/** Seconds in the call: whoever came in costs, however soon it left; 0 for a phone that never joined. */
export function billableSeconds({ joinedAt, exitedAt }: Participant): number {
  return joinedAt === null || exitedAt === null ? 0 : Math.max(1, Math.round((exitedAt - joinedAt) / 1000));
}
