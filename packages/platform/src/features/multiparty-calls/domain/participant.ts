import type { Instant, LegSpec } from '@jackfield/ports';
import type { NewStream } from '../../streams/index.ts';
import type { Rate } from '../../usage/index.ts';

/**
 * One phone in a multiparty call.
 *
 *   delayed → dialling → ringing → confirming → joined → exited
 *
 * Every phase can go to `exited`, once. `delayed` and `confirming` exist for delay_dial and confirm_key. A leg that existed
 * before is `dialling` until it is handed over, and `ringing` if it was not answered by then.
 */
export interface Participant extends RequestedParticipant {
  readonly phase: ParticipantPhase;
  readonly addedAt: Instant;
  readonly joinedAt: Instant | null;
  readonly exitedAt: Instant | null;
  readonly exitCause: ExitCause | null;
  /** Null until it has left. */
  readonly bill: ParticipantBill | null;
  /** False unless a status callback requests `participant-speak-events`. */
  readonly isSpeaking: boolean;
  /** Its adding or joining made the call active. */
  readonly hasStarted: boolean;
}

export interface ParticipantBill {
  readonly seconds: number;
  /** 1e-5 of the currency's unit. */
  readonly units: number;
}

export type ParticipantPhase = 'delayed' | 'dialling' | 'ringing' | 'confirming' | 'joined' | 'exited';

/** A participant as the request adds it. */
export interface RequestedParticipant extends Switches {
  readonly memberId: number;
  /** Call UUID of its leg. */
  readonly leg: string;
  /** Phones that were added together share it: they are rivals for one slot, and the first to join has it. */
  readonly requestUuid: string;
  readonly origin: Origin;
  readonly role: Role;
  /** How its leg is dialled, or the parties of a leg that existed before. */
  readonly spec: LegSpec;
  readonly startsOnEnter: boolean;
  readonly endsOnExit: boolean;
  readonly enterSound: EdgeSound;
  readonly exitSound: EdgeSound;
  /** Seconds until it is dialled. */
  readonly delaySeconds: number;
  /** The key that its phone has to press before it joins; null: none. */
  readonly confirmation: Confirmation | null;
  readonly dialMusic: DialMusic;
  /** Its digits are sent to its listeners. */
  readonly relaysDigits: boolean;
  /** Joins only if another participant is present. */
  readonly joinsOthersOnly: boolean;
  readonly callStatusCallback: Callback | null;
  /** Receives the events of this participant, besides the status callback of the call. */
  readonly statusCallback: StatusCallback | null;
  /** Of an ai-agent only; dialling it connects the stream. */
  readonly agent?: AgentStream;
  /** Of its leg. */
  readonly rate: Rate;
  /** Of a call that existed before: the parameters of requests about it, for the exit action after a hang-up. */
  readonly callParameters?: Readonly<Record<string, string>>;
  /** Source of a document when it leaves; the document of a borrowed leg does that itself. */
  readonly onExitAction: Callback | null;
}

export interface Confirmation {
  readonly key: string;
  /** Only its phone hears it, until the key. */
  readonly sound: Callback | null;
}

/** Sound for members in silence while the phone is called: ringback, none, or a URL. */
export type DialMusic = 'real' | 'none' | { readonly url: string };

/** Settings that can change while the participant is in the call. */
export interface Switches {
  /** True only for a supervisor. */
  readonly coachMode: boolean;
  readonly mute: boolean;
  readonly hold: boolean;
}

/**
 * Where its leg comes from: dialled for this call; taken from another owner for good; or borrowed from the document
 * that runs on it, and returned when the participant leaves.
 */
export type Origin = 'dialled' | 'taken' | 'borrowed';

export type Role = 'agent' | 'supervisor' | 'customer' | 'ai-agent';

/** A program hears and counts like a human agent (docs/interface/multiparty-calls.md#programs-as-agents). */
export function isAgent(role: Role): boolean {
  return role === 'agent' || role === 'ai-agent';
}

/** The WebSocket that an ai-agent has instead of a phone. */
export type AgentStream = Pick<NewStream, 'serviceUrl' | 'contentType' | 'extraHeaders' | 'statusCallback'>;

/** Played to the conversation when a participant enters or leaves; a URL gives audio or a document. */
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

export function addedParticipant(requested: RequestedParticipant, now: Instant): Participant {
  return {
    ...requested,
    coachMode: requested.coachMode && requested.role === 'supervisor',
    phase: requested.delaySeconds > 0 ? 'delayed' : 'dialling',
    addedAt: now,
    joinedAt: null,
    exitedAt: null,
    exitCause: null,
    bill: null,
    isSpeaking: false,
    hasStarted: false,
  };
}

/** Its delay is over. */
export function dialled(participant: Participant): Participant {
  return participant.phase === 'delayed' ? { ...participant, phase: 'dialling' } : participant;
}

/** A second ring, or a ring after the answer, changes nothing. */
export function ringing(participant: Participant): Participant {
  return participant.phase === 'dialling' ? { ...participant, phase: 'ringing' } : participant;
}

/** Answered; its key is awaited. */
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

/** Returns the same object when nothing differs, so that nothing is written. */
export function switched(participant: Participant, requested: Partial<Switches>): Participant {
  const { coachMode = participant.coachMode, mute = participant.mute, hold = participant.hold } = requested;
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

/** May still join. */
export function isPending(participant: Participant): boolean {
  const { phase } = participant;
  return phase === 'delayed' || phase === 'confirming' || isCalled(participant);
}

/** The call hangs up or returns its leg: it was dialled for the call, or is handed over. */
export function isHeld({ origin, phase }: Participant): boolean {
  return phase !== 'delayed' && (origin === 'dialled' || phase !== 'dialling');
}

/** Rivals use one slot together (`max_participants`). */
export function slotsOf(participants: readonly Participant[]): number {
  return new Set(participants.map(({ requestUuid }) => requestUuid)).size;
}

/** Seconds in the call: at least 1 for a participant that joined, 0 for a phone that never joined. */
export function billableSeconds({ joinedAt, exitedAt }: Participant): number {
  return joinedAt === null || exitedAt === null ? 0 : Math.max(1, Math.round((exitedAt - joinedAt) / 1000));
}
