import type { DialRequest } from '@jackfield/ports';
import type { IncomingInvite } from '@jackfield/sip';
import { heardFrom, newLegAudio } from './leg-audio.ts';
import {
  type DrawKeys,
  dialledSrtp,
  incomingSrtp,
  type LegSrtp,
  lacksKeys,
  type SrtpPolicy,
  withKeys,
} from './leg-srtp.ts';
import type { OfferedLeg, PreparingLeg } from './leg-state.ts';
import { cameInPrivate, isOfBrowser, isReachedInPrivate, type ProtocolOf } from './private-signalling.ts';

export interface NewLegsDeps {
  /** Address for SDP. */
  readonly mediaAddress: string;
  readonly newSessionId: () => string;
  readonly srtp: SrtpPolicy;
  readonly protocolOf: ProtocolOf;
  /** Absent without SRTP. */
  readonly drawKeys: DrawKeys | undefined;
}

/** First states of legs, incoming and dialled: their audio with its SRTP keys. */
export interface NewLegs {
  /** The leg of an INVITE. */
  offered(incoming: IncomingInvite, isExternal: boolean): OfferedLeg;
  /** A leg that is to be dialled. */
  preparing(request: Pick<DialRequest, 'targets'>): PreparingLeg;
}

export function createNewLegs(deps: NewLegsDeps): NewLegs {
  const { srtp: policy, protocolOf, drawKeys } = deps;

  function audioOf(srtp: LegSrtp, describesEvents: boolean, onlyTo?: string) {
    const keyed = drawKeys !== undefined && lacksKeys(srtp) ? withKeys(srtp, drawKeys()) : srtp;
    return newLegAudio({
      address: deps.mediaAddress,
      sessionId: deps.newSessionId(),
      srtp: keyed,
      describesEvents,
      onlyTo,
    });
  }

  return {
    offered(incoming, isExternal) {
      const { request, flow, sourceAddress, takesReliable } = incoming;
      const srtp = incomingSrtp(policy, policy !== 'off' && cameInPrivate(incoming, protocolOf));
      const audio = audioOf(srtp, !isOfBrowser(flow, protocolOf), isExternal ? sourceAddress : undefined);
      return {
        phase: 'offered',
        audio: heardFrom(audio, request),
        offer: request.body,
        takesReliable,
        isExternal,
        port: 'closed',
        requested: 'nothing',
      };
    },
    preparing({ targets }) {
      const isPrivate = policy !== 'off' && targets.every((target) => isReachedInPrivate(target, protocolOf));
      // All targets get one description.
      const describesEvents = !targets.some(({ flow }) => isOfBrowser(flow, protocolOf));
      return { phase: 'preparing', audio: audioOf(dialledSrtp(policy, isPrivate), describesEvents) };
    },
  };
}
