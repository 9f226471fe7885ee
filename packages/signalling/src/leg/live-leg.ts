import type { DialRequest, LegListener } from '@jackfield/ports';
import type { Call, DialledCall, IncomingInvite } from '@jackfield/sip';
import type { AudioReach, DialTerms } from './dial-terms.ts';
import type { LegInput, LegState } from './leg-state.ts';

/** A leg while it runs: the state of its machine, and the objects that its effects act on. */
export interface LiveLeg {
  /** The call UUID. */
  readonly leg: string;
  /** Receives the notifications of the leg. */
  readonly listener: LegListener;
  state: LegState;
  /** Inputs that arrived while an effect was running. */
  readonly inputs: LegInput[];
  isStepping: boolean;
  /** The incoming INVITE; undefined for a leg that we dial. */
  readonly incoming?: IncomingInvite;
  /** The dial request; undefined for an incoming leg. */
  readonly request?: DialRequest;
  /** The credentials and restrictions of the INVITE, once they are known. */
  terms: DialTerms;
  /** Addresses that its peer may name for audio; all when undefined. */
  audioReach: AudioReach;
  /** The call of our last INVITE. */
  outgoing: DialledCall | undefined;
  /** Frees the slot of an incoming call. */
  release: (() => void) | undefined;
  /** The Max-Forwards left for this call. */
  readonly forwardsLeft: number;
}

/** A leg before its first step. */
export function newLiveLeg(
  about: Pick<LiveLeg, 'leg' | 'listener' | 'state' | 'forwardsLeft' | 'incoming' | 'request'>,
): LiveLeg {
  return {
    ...about,
    inputs: [],
    isStepping: false,
    terms: {},
    audioReach: undefined,
    outgoing: undefined,
    release: undefined,
  };
}

/** The dialog of a leg; undefined before the first INVITE. */
export function callOf({ outgoing, incoming }: LiveLeg): Call | undefined {
  return outgoing ?? incoming;
}
