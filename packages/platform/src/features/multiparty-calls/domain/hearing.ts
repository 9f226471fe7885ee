import type { MixMember } from '@jackfield/ports';
import { isAgent, type Role, type Switches } from './participant.ts';

/** The properties that decide who hears whom. */
export interface Hearer extends Switches {
  readonly leg: string;
  readonly role: Role;
}

/**
 * The one table of who hears whom. `present` are the participants that have joined; others have no edges. Before the call
 * is active the table is empty.
 */
export function whoHearsWhom(present: readonly Hearer[], isActive: boolean): readonly MixMember[] {
  return present.map((listener) => ({
    leg: listener.leg,
    hears: isActive ? present.filter((speaker) => hears(listener, speaker)).map(({ leg }) => leg) : [],
    // Keys may be secrets, such as the number of a card: the machine passes on those of `relay_dtmf_inputs` alone.
    keepsKeys: true,
  }));
}

/** Closed by default: every line denies the edge, and only the last line grants it. */
export function hears(listener: Hearer, speaker: Hearer): boolean {
  if (listener.leg === speaker.leg) return false;
  // Hold: neither hears nor speaks (docs/interface/multiparty-calls.md#coaching-and-hold).
  if (listener.hold || speaker.hold) return false;
  if (speaker.mute) return false;
  // docs/interface/multiparty-calls.md#coaching-and-hold, participant.coach_mode: only agents hear it, other supervisors do not.
  if (isCoaching(speaker)) return isAgent(listener.role);
  return true;
}

function isCoaching(participant: Pick<Hearer, 'role' | 'coachMode'>): boolean {
  return participant.role === 'supervisor' && participant.coachMode;
}
