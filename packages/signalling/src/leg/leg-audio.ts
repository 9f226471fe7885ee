import type { AgreedMedia, OpenedLeg } from '@jackfield/ports';
import {
  type AgreedAudio,
  answerOffer,
  applyAnswer,
  type CodecCapability,
  createOffer,
  g722Capability,
  isAcceptable,
  l16Capabilities,
  opusCapability,
  parseSdp,
  pcmaCapability,
  pcmuCapability,
} from '@jackfield/sdp';
import type { SipMessage } from '@jackfield/sip';
import type { InviteOffer } from './invite-offer.ts';
import {
  agreedSuite,
  answeringCrypto,
  demandsSrtp,
  downgraded,
  type LegSrtp,
  offeringCrypto,
  protectionOf,
  refusesDescription,
} from './leg-srtp.ts';
import { handshakeOf, type LegWebrtc, localTransport, restarted } from './leg-webrtc.ts';
import { canonicalAddress, noAddresses, type PeerAddresses, withMessage } from './peer-addresses.ts';

export const sdpType = 'application/sdp';

/** Codecs of our offers. PCMU first: it has the least cost and delay for a peer without a preference. */
const offered = [pcmuCapability, pcmaCapability, g722Capability, opusCapability];
/** Codecs of our answers, which keep the order of the offer. */
const codecs = [...offered, ...l16Capabilities];

/** The audio of one leg: the state of its offer/answer exchange (RFC 3264). Functions return the next state; none changes it. */
export interface LegAudio {
  /** The address that goes into our SDP. */
  readonly address: string;
  /** The session id of the origin line. */
  readonly sessionId: string;
  /** Our media port; 0 until it is open. */
  readonly port: number;
  /** The description that we sent last; later ones count its version up. */
  readonly sent: string | undefined;
  /** An own offer has no answer yet. */
  readonly awaitsAnswer: boolean;
  readonly codecInUse: CodecCapability | undefined;
  /** Audio goes to this address, whatever a description says: a caller without credentials cannot direct audio at a third party. */
  readonly onlyTo: string | undefined;
  /**
   * False omits the a=fmtp of telephone events from our offers, for phones in browsers: the hosted browser SDK removes payload types from
   * the m= line and leaves their fmtp, which browsers then refuse. RFC 4733 §2.4.1: without it events 0–15 are meant.
   */
  readonly describesEvents: boolean;
  /** Source of the peer's signalling: its audio may come from there as well (RFC 4961 behind a NAT). */
  readonly peer: PeerAddresses;
  readonly srtp: LegSrtp;
  /** The leg has only WebRTC; undefined for plain RTP and keys in SDP. */
  readonly webrtc: LegWebrtc | undefined;
}

/** The next state and our description for the peer. */
export interface Described {
  readonly audio: LegAudio;
  readonly description: string;
}

/** The next state and the new agreement for the media engine; without an agreement the media stays unchanged. */
export interface Agreed {
  readonly audio: LegAudio;
  readonly connect?: AgreedMedia;
}

/** Audio of a leg without a port and without a description. */
export function newLegAudio(
  about: Pick<LegAudio, 'address' | 'sessionId' | 'srtp'> &
    Partial<Pick<LegAudio, 'onlyTo' | 'describesEvents' | 'webrtc'>>,
): LegAudio {
  return {
    port: 0,
    sent: undefined,
    awaitsAnswer: false,
    codecInUse: undefined,
    onlyTo: undefined,
    describesEvents: true,
    peer: noAddresses,
    webrtc: undefined,
    ...about,
  };
}

/** The media port is open. */
export function withPort(audio: LegAudio, { port, webrtc: opened }: OpenedLeg): LegAudio {
  return { ...audio, port, webrtc: audio.webrtc && { ...audio.webrtc, opened } };
}

/** Records the source of a message from the peer. Call it before the message's description is used. */
export function heardFrom(audio: LegAudio, message: SipMessage): LegAudio {
  return { ...audio, peer: withMessage(audio.peer, message) };
}

/** An offer: in our INVITE, or in the 200 to an INVITE without offer; it prefers the codec in use. */
export function makeOffer(audio: LegAudio): Described {
  const { codecInUse, srtp, describesEvents, webrtc } = audio;
  const all = webrtc?.codecs ?? offered;
  const preferred =
    codecInUse === undefined ? all : [codecInUse, ...all.filter((codec) => codec !== codecInUse)];
  const description = createOffer({
    ...localOf(audio),
    codecs: preferred,
    ...(webrtcOf(audio) ?? offeringCrypto(srtp, profileInUse(audio))),
    ...sessionOf(audio),
    describesEvents,
  });
  return { audio: { ...audio, sent: description, awaitsAnswer: true }, description };
}

/** The first offer again without SRTP, for a second INVITE after `status` refused the first; undefined where a retry cannot help. */
export function makeDowngradedOffer(audio: LegAudio, status: number): Described | undefined {
  const srtp = audio.codecInUse === undefined ? downgraded(audio.srtp, status) : undefined;
  return srtp && makeOffer({ ...audio, srtp, sent: undefined });
}

/** The audio without WebRTC and without a port, after `status` refused our first offer; undefined where a retry cannot help. */
export function withoutWebrtc(audio: LegAudio, status: number): LegAudio | undefined {
  if (audio.webrtc === undefined || audio.codecInUse !== undefined || !refusesDescription(status))
    return undefined;
  return { ...audio, webrtc: undefined, port: 0, sent: undefined, awaitsAnswer: false };
}

/** Answers an offer; undefined when there is nothing in common, and then nothing changes. */
export function makeAnswer(audio: LegAudio, offer: InviteOffer): (Described & Agreed) | undefined {
  const local = { ...localOf(audio), ...(webrtcOf(audio) ?? answeringCrypto(audio.srtp)) };
  const outcome = answerOffer(offer, local, sessionOf(audio));
  if ('problem' in outcome) return undefined;
  const remote = outcome.agreed.webrtc;
  const webrtc = remote && audio.webrtc && restarted(audio.webrtc, remote);
  if (webrtc !== undefined) return makeAnswer({ ...audio, webrtc }, offer);
  return { ...connected({ ...audio, sent: outcome.answer }, outcome.agreed), description: outcome.answer };
}

/** Applies the answer to our offer; undefined when there is nothing in common. Without an open offer the answer is ignored. */
export function takeAnswer(audio: LegAudio, answer: string): Agreed | undefined {
  if (audio.sent === undefined) return undefined;
  if (!audio.awaitsAnswer) return { audio };
  const outcome = applyAnswer(audio.sent, answer, codecs, limitsOf(audio));
  return 'problem' in outcome ? undefined : connected({ ...audio, awaitsAnswer: false }, outcome.agreed);
}

/** Applies a preliminary answer to `offer`: the leg has audio before it is answered. Undefined when there is nothing in common. */
export function previewAnswer(audio: LegAudio, offer: string, answer: string): Agreed | undefined {
  const outcome = applyAnswer(offer, answer, codecs, limitsOf(audio));
  if ('problem' in outcome) return undefined;
  const { agreed } = outcome;
  const srtp = agreedSuite(audio.srtp, agreed.crypto?.suite);
  return { audio: { ...audio, srtp }, connect: mediaOf(audio, agreed) };
}

/** The answer to a description that we only repeated: it contains the new address of a peer that has moved. */
export function renewAnswer(before: LegAudio, response: SipMessage): Agreed {
  const audio = heardFrom(before, response);
  if (audio.awaitsAnswer || audio.sent === undefined) return { audio };
  const outcome = applyAnswer(audio.sent, response.body, codecs, limitsOf(audio));
  return 'problem' in outcome ? { audio } : connected(audio, outcome.agreed);
}

/** Returns to our earlier offer, which another phone of a forked call has answered. */
export function withOpenOffer(audio: LegAudio, offer: string): LegAudio {
  return { ...audio, sent: offer, awaitsAnswer: true };
}

/** Our offer got no answer: the previous agreement stays in force. */
export function withoutOpenOffer(audio: LegAudio): LegAudio {
  return { ...audio, awaitsAnswer: false };
}

/** RFC 3261 §8.2.3: a body of another type is answered with 415. A body without a type is treated as a description. */
export function isDescription({ headers, body }: Pick<SipMessage, 'headers' | 'body'>): boolean {
  const type = headers.get('Content-Type');
  return body === '' || type === undefined || /^application\/sdp[ \t]*(?:;|$)/i.test(type);
}

/** Whether an INVITE can be answered at all. */
export function isAnswerable(offer: InviteOffer, srtp: LegSrtp, webrtc?: LegWebrtc): boolean {
  if (typeof offer === 'string') return offer === '';
  const address = '127.0.0.1';
  const transport = webrtc && localTransport({ ...webrtc, opened: probeOpened }, address, 9);
  const secured = transport === undefined ? answeringCrypto(srtp) : { protocols: [], webrtc: transport };
  const probe = { ...codecsOf(webrtc), address, port: 9, ...secured };
  return isAcceptable(offer, probe);
}

function limitsOf({ srtp }: LegAudio) {
  return { requiresCrypto: demandsSrtp(srtp) };
}

/** The profile of the description that we sent last, where there was an agreement on it. */
function profileInUse({ codecInUse, sent }: LegAudio): string | undefined {
  if (codecInUse === undefined || sent === undefined) return undefined;
  const parsed = parseSdp(sent);
  if ('problem' in parsed) return undefined;
  return parsed.session.media.find(({ kind, port }) => kind === 'audio' && port !== 0)?.protocol;
}

/** Stands for an open port of WebRTC, to find out whether an offer can be answered before the port is opened. */
const probeOpened = { fingerprint: { hash: 'sha-256', value: '00' }, takesTcp: false };

/** WebRTC in our next description, which excludes every other profile. */
function webrtcOf({ webrtc, address, port }: LegAudio) {
  const transport = webrtc && localTransport(webrtc, address, port);
  return transport && { protocols: [], webrtc: transport };
}

function localOf({ address, port, webrtc }: LegAudio) {
  return { ...codecsOf(webrtc), address, port };
}

/** The operator orders the codecs of browsers; phones choose among theirs. */
function codecsOf(webrtc: LegWebrtc | undefined) {
  return webrtc === undefined ? { codecs } : { codecs: webrtc.codecs, answersInOurOrder: true };
}

function sessionOf({ sessionId, sent }: LegAudio) {
  return sent === undefined ? { sessionId } : { sessionId, previous: sent };
}

function connected(audio: LegAudio, agreed: AgreedAudio) {
  const srtp = agreedSuite(audio.srtp, agreed.crypto?.suite);
  const remoteFragment = agreed.webrtc?.fragment;
  const webrtc = audio.webrtc && { ...audio.webrtc, remoteFragment };
  return { audio: { ...audio, srtp, webrtc, codecInUse: agreed.codec }, connect: mediaOf(audio, agreed) };
}

function mediaOf({ onlyTo, peer, webrtc }: LegAudio, agreed: AgreedAudio): AgreedMedia {
  const media = agreedMediaOf(agreed);
  // Packets go only to checked sources, whatever a description says.
  if (webrtc !== undefined && agreed.webrtc !== undefined)
    return { ...media, protection: handshakeOf(webrtc, agreed.webrtc) };
  return {
    ...media,
    address: onlyTo ?? media.address,
    ...(peer.list.length === 0 ? {} : { signalledFrom: peer.list }),
  };
}

function agreedMediaOf(agreed: AgreedAudio): AgreedMedia {
  const media: { -readonly [Key in keyof AgreedMedia]: AgreedMedia[Key] } = {
    ...codecOf(agreed.codec),
    address: canonicalAddress(agreed.remoteAddress),
    port: agreed.remotePort,
    rtcpPort: agreed.rtcpPort,
    payloadType: agreed.payloadType,
    receive: agreed.receive.map(({ payloadType, codec }) => ({ ...codecOf(codec), payloadType })),
    direction: agreed.direction,
    ptimeMs: agreed.ptimeMs,
  };
  if (agreed.fmtp !== undefined) media.parameters = agreed.fmtp;
  if (agreed.telephoneEventPayloadType !== undefined)
    media.telephoneEventPayloadType = agreed.telephoneEventPayloadType;
  if (agreed.receiveTelephoneEventPayloadType !== undefined)
    media.receiveTelephoneEventPayloadType = agreed.receiveTelephoneEventPayloadType;
  if (agreed.telephoneEventClockRate !== undefined)
    media.telephoneEventClockRate = agreed.telephoneEventClockRate;
  if (agreed.crypto !== undefined) media.protection = protectionOf(agreed.crypto);
  return media;
}

function codecOf({ name, clockRate }: CodecCapability): Pick<AgreedMedia, 'codec' | 'clockRate'> {
  return name === 'L16' ? { codec: name, clockRate } : { codec: name as AgreedMedia['codec'] };
}
