import type { LegEnd, LegListener } from '@jackfield/ports';
import type { Call, IncomingInvite } from '@jackfield/sip';
import type { EarlyMedia } from './early-media.ts';
import type { LegMedia } from './leg-media.ts';

/** One leg between its media and its dialog. */
export interface EdgeLeg {
  readonly leg: string;
  readonly media: LegMedia;
  /** What happens to it is reported here. */
  readonly listener: LegListener;
  /** The outgoing call, once its INVITE was sent. */
  call: Call | undefined;
  /** Sends another INVITE with this offer; until the call has ended, or is to end. */
  redial: ((offer: string) => void) | undefined;
  /** The incoming INVITE. */
  readonly incoming: IncomingInvite | undefined;
  /** Its caller has no credentials: it gets no audio before its ACK has shown that it receives what is sent to its address. */
  isExternal: boolean;
  /** How far we are with the answer to an incoming INVITE: `accepted` means that its 200 was sent. */
  answer: 'none' | 'wanted' | 'accepted';
  /** The media port of an incoming leg, once it was asked for. */
  opened: Promise<void> | undefined;
  /** Of an outgoing leg: what was agreed with phones that have not answered the call. */
  earlyMedia: EarlyMedia | undefined;
  /** Whoever listens was told that an outgoing leg is heard before its answer. */
  isEarly: boolean;
  /** Our answer to its offer, once it was sent in a 183: the 200 repeats it (RFC 3261 §13.2.1). */
  early: string | undefined;
  /** Gives the place of an incoming call back. */
  free: (() => void) | undefined;
  /** Set when the reason of the end is ours and not what signalling will say. */
  end: LegEnd | undefined;
  /** How often the call may still be forwarded: what its INVITE says, or said. */
  readonly forwardsLeft: number;
  /** Audio runs both ways, and whoever listens was told. */
  isAnswered: boolean;
}

/** A leg of which nothing has been heard yet. */
export function newEdgeLeg(
  leg: string,
  media: LegMedia,
  listener: LegListener,
  incoming: IncomingInvite | undefined,
  forwardsLeft: number,
): EdgeLeg {
  return {
    leg,
    media,
    listener,
    call: undefined,
    redial: undefined,
    incoming,
    isExternal: false,
    answer: 'none',
    opened: undefined,
    earlyMedia: undefined,
    isEarly: false,
    early: undefined,
    free: undefined,
    end: undefined,
    forwardsLeft,
    isAnswered: false,
  };
}

/** Its dialog, once there is one. */
export function callOf(edge: EdgeLeg): Call | undefined {
  return edge.call ?? edge.incoming;
}
