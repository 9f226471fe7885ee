import { isPending, isPresent, type Participant } from './participant.ts';

/** Why a multiparty call ended: the four causes of docs/interface/multiparty-calls.md#states. */
export type TerminationCode = 1000 | 1010 | 2000 | 3000;

export const terminationCauses: Readonly<Record<TerminationCode, string>> = {
  1000: 'No Active Participants',
  1010: 'Stay Alone Not Permitted',
  2000: 'Max Duration Reached',
  3000: 'Hangup API Triggered',
};

/** What a departure is judged by. */
export interface Departure {
  readonly isActive: boolean;
  readonly mayStayAlone: boolean;
  /** Everybody before the departure, and everybody after it. */
  readonly before: readonly Participant[];
  readonly after: readonly Participant[];
}

/** The cause with which a departure ends the call; undefined when the call goes on. */
export function endOfDeparture(departure: Departure): TerminationCode | undefined {
  const { before, after } = departure;
  const presentBefore = before.filter(isPresent);
  const present = after.filter(isPresent);
  // Nobody here and nobody to wait for: also the end of a call whose phones all failed to answer.
  if (present.length === 0 && !after.some(isPending)) return 1000;
  // A participant without whom the call must not go on takes everybody along, so no active participant remains. One that
  // never joined has not left.
  const left = presentBefore.filter((each) => !present.some(({ leg }) => leg === each.leg));
  if (left.some((each) => each.endsOnExit)) return 1000;
  // The number present fell to one. It cannot fall before a second has been present, so the first to join may wait.
  const isLeftAlone = present.length === 1 && presentBefore.length > 1;
  if (departure.isActive && isLeftAlone && !departure.mayStayAlone) return 1010;
  return undefined;
}
