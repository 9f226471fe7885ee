import { isPending, isPresent, type Participant } from './participant.ts';

/** Why a multiparty call ended: the four causes of docs/interface/multiparty-calls.md#states. */
export type TerminationCode = 1000 | 1010 | 2000 | 3000;

export const terminationCauses: Readonly<Record<TerminationCode, string>> = {
  1000: 'No Active Participants',
  1010: 'Stay Alone Not Permitted',
  2000: 'Max Duration Reached',
  3000: 'Hangup API Triggered',
};

/** What decides whether a departure ends the call. */
export interface Departure {
  readonly isActive: boolean;
  readonly mayStayAlone: boolean;
  /** All participants before the departure, and after it. */
  readonly before: readonly Participant[];
  readonly after: readonly Participant[];
}

/** The cause with which a departure ends the call; undefined when the call goes on. */
export function endOfDeparture(departure: Departure): TerminationCode | undefined {
  const { before, after } = departure;
  const presentBefore = before.filter(isPresent);
  const present = after.filter(isPresent);
  // No participant is present or expected: also the end of a call whose phones all failed to answer.
  if (present.length === 0 && !after.some(isPending)) return 1000;
  // The departure of a participant with end_mpc_on_exit ends the call for all, so no active participant remains. A
  // participant that never joined has not left.
  const left = presentBefore.filter((each) => !present.some(({ leg }) => leg === each.leg));
  if (left.some((each) => each.endsOnExit)) return 1000;
  // The number present fell to one. The first to join may wait: the number falls only after a second was present.
  const isLeftAlone = present.length === 1 && presentBefore.length > 1;
  if (departure.isActive && isLeftAlone && !departure.mayStayAlone) return 1010;
  return undefined;
}
