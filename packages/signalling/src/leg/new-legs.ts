import type { DialRequest } from '@jackfield/ports';
import type { IncomingInvite } from '@jackfield/sip';
import { type AddressFor, peerOf } from '../address-for.ts';
import { readOffer } from './invite-offer.ts';
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
import {
  type DrawIce,
  type LegWebrtc,
  mayAnswerWebrtc,
  mayOfferWebrtc,
  newLegWebrtc,
  offersWebrtc,
  type WebrtcOptions,
} from './leg-webrtc.ts';
import { cameInPrivate, isOfBrowser, isReachedInPrivate, type ProtocolOf } from './private-signalling.ts';

export interface NewLegsDeps {
  /** Our address for a peer, in SDP. */
  readonly addressFor: AddressFor;
  /** The address at the other end of a flow. */
  readonly remoteAddressOf: (flow: string) => string | undefined;
  readonly newSessionId: () => string;
  readonly srtp: SrtpPolicy;
  readonly protocolOf: ProtocolOf;
  /** Absent without SRTP. */
  readonly drawKeys: DrawKeys | undefined;
  /** Both absent without WebRTC. */
  readonly webrtc: WebrtcOptions | undefined;
  readonly drawIce: DrawIce | undefined;
}

/** First states of legs, incoming and dialled: their audio with its SRTP keys. */
export interface NewLegs {
  /** The leg of an INVITE. */
  offered(incoming: IncomingInvite, isExternal: boolean): OfferedLeg;
  /** A leg that is to be dialled. */
  preparing(request: Pick<DialRequest, 'targets'>): PreparingLeg;
}

export function createNewLegs(deps: NewLegsDeps): NewLegs {
  const { srtp: policy, protocolOf, drawKeys, webrtc, drawIce } = deps;

  /** WebRTC if `isMeant`, and if the edge has it. */
  const webrtcWhere = (isMeant: boolean): LegWebrtc | undefined =>
    isMeant && drawIce !== undefined ? newLegWebrtc(drawIce, webrtc?.codecs) : undefined;

  function audioOf(
    srtp: LegSrtp,
    describesEvents: boolean,
    transport: LegWebrtc | undefined,
    peer: string | undefined,
    onlyTo?: string,
  ) {
    const keyed = drawKeys !== undefined && lacksKeys(srtp) ? withKeys(srtp, drawKeys()) : srtp;
    return newLegAudio({
      address: deps.addressFor(peer),
      sessionId: deps.newSessionId(),
      srtp: keyed,
      describesEvents,
      webrtc: transport,
      onlyTo,
    });
  }

  return {
    offered(incoming, isExternal) {
      const { request, flow, sourceAddress, takesReliable } = incoming;
      const srtp = incomingSrtp(policy, policy !== 'off' && cameInPrivate(incoming, protocolOf));
      const offer = readOffer(request.body);
      const isWebrtc = mayAnswerWebrtc(incoming, webrtc, protocolOf) && offersWebrtc(offer);
      const onlyTo = isExternal ? sourceAddress : undefined;
      const describesEvents = !isOfBrowser(flow, protocolOf);
      const audio = audioOf(srtp, describesEvents, webrtcWhere(isWebrtc), sourceAddress, onlyTo);
      return {
        phase: 'offered',
        audio: heardFrom(audio, request),
        offer,
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
      const isWebrtc =
        targets.length > 0 && targets.every(({ flow }) => mayOfferWebrtc(flow, webrtc, protocolOf));
      const srtp = dialledSrtp(policy, isPrivate);
      const peer = peerOf(targets[0], deps.remoteAddressOf);
      return { phase: 'preparing', audio: audioOf(srtp, describesEvents, webrtcWhere(isWebrtc), peer) };
    },
  };
}
