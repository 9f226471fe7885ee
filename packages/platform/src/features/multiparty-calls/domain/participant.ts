import type { Instant } from '../../../kernel/machine.ts';

/**
 * One phone in a multiparty call.
 *
 *   dialling → ringing → joined → exited
 *
 * Every phase can go to `exited`, and does so once.
 */
export interface Participant extends WantedParticipant {
  readonly phase: 'dialling' | 'ringing' | 'joined' | 'exited';
  readonly addedAt: Instant;
  readonly joinedAt: Instant | null;
  readonly exitedAt: Instant | null;
  readonly exitCause: ExitCause | null;
}

/** What the one who adds a participant decides. */
export interface WantedParticipant extends Switches {
  readonly memberId: number;
  /** Call UUID of its leg. */
  readonly leg: string;
  readonly requestUuid: string;
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
  readonly callStatusCallback: Callback | null;
}

/** What can be changed while the participant is in the call. */
export interface Switches {
  /** Only ever true for a supervisor. */
  readonly coachMode: boolean;
  readonly mute: boolean;
  readonly hold: boolean;
}

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

export function dialledParticipant(wanted: WantedParticipant, now: Instant): Participant {
  return {
    ...wanted,
    coachMode: wanted.coachMode && wanted.role === 'supervisor',
    phase: 'dialling',
    addedAt: now,
    joinedAt: null,
    exitedAt: null,
    exitCause: null,
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

/** Dialled, and neither here nor lost yet. */
export function isPending(participant: Participant): boolean {
  return participant.phase === 'dialling' || participant.phase === 'ringing';
}

/** Whole seconds in the call, a started one counted; 0 for a phone that never joined. */
export function billedSeconds(participant: Participant): number {
  const { joinedAt, exitedAt } = participant;
  return joinedAt === null || exitedAt === null ? 0 : Math.max(0, Math.ceil((exitedAt - joinedAt) / 1000));
}
