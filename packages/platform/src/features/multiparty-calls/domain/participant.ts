import type { Instant } from '../../../kernel/machine.ts';

/**
 * One phone in a multiparty call.
 *
 *   dialling → ringing → joined → exited
 *
 * Every phase can go to `exited`, and does so once. A leg that was there before is `dialling` until it has been handed over,
 * and `ringing` if nobody had answered it by then.
 */
export interface Participant extends WantedParticipant {
  readonly phase: 'dialling' | 'ringing' | 'joined' | 'exited';
  readonly addedAt: Instant;
  readonly joinedAt: Instant | null;
  readonly exitedAt: Instant | null;
  readonly exitCause: ExitCause | null;
  /** As far as somebody asked for it (`participant-speak-events`). */
  readonly isSpeaking: boolean;
}

/** What the one who adds a participant decides. */
export interface WantedParticipant extends Switches {
  readonly memberId: number;
  /** Call UUID of its leg. */
  readonly leg: string;
  readonly requestUuid: string;
  readonly origin: Origin;
  readonly role: Role;
  readonly from: string;
  readonly to: string;
  readonly callerName: string;
  readonly startsOnEnter: boolean;
  readonly endsOnExit: boolean;
  readonly enterSound: EdgeSound;
  readonly exitSound: EdgeSound;
  readonly ringTimeoutSeconds: number;
  /** Names without the `X-PH-` prefix. */
  readonly sipHeaders: Readonly<Record<string, string>>;
  /** Pressed as soon as it is answered. */
  readonly sendDigits: string;
  readonly callStatusCallback: Callback | null;
}

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

export type Role = 'agent' | 'supervisor' | 'customer';

/** Heard by those present when a participant enters or leaves. */
export type EdgeSound = 'beep:1' | 'beep:2' | 'none';

export interface Callback {
  readonly url: string;
  readonly method: 'GET' | 'POST';
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
    phase: 'dialling',
    addedAt: now,
    joinedAt: null,
    exitedAt: null,
    exitCause: null,
    isSpeaking: false,
  };
}

/** A phone that rings twice, or rings after it answered, changes nothing. */
export function ringing(participant: Participant): Participant {
  return participant.phase === 'dialling' ? { ...participant, phase: 'ringing' } : participant;
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

/** Dialled or about to be handed over, and neither here nor lost yet. */
export function isPending(participant: Participant): boolean {
  return participant.phase === 'dialling' || participant.phase === 'ringing';
}

/** Its leg is ours to hang up or to give back: dialled by us, or handed over already. */
export function isHeld(participant: Participant): boolean {
  return participant.origin === 'dialled' || participant.phase !== 'dialling';
}

/** Whole seconds in the call, a started one counted; 0 for a phone that never joined. */
export function billedSeconds(participant: Participant): number {
  const { joinedAt, exitedAt } = participant;
  return joinedAt === null || exitedAt === null ? 0 : Math.max(0, Math.ceil((exitedAt - joinedAt) / 1000));
}
