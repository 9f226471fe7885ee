import { type AgreedAudio, agree, effectiveDirection, isSecureProfile } from './agreed-audio.ts';
import {
  type CodecCapability,
  capabilityFor,
  isOfOneFormat,
  telephoneEventClock,
  telephoneEventIn,
  telephoneEventName,
} from './codec-capability.ts';
import { previousOf } from './create-offer.ts';
import { chooseCrypto } from './crypto-attribute.ts';
import { meet } from './direction.ts';
import {
  type LocalMedia,
  type LocalSession,
  type MediaCapabilities,
  midOf,
  refusedMedia,
  writeDescription,
} from './local-media.ts';
import { parseSdp, type SdpLimits } from './parse-sdp.ts';
import type { MediaDescription, SdpProblem, SessionDescription } from './session-description.ts';
import { isWebrtcProfile, noTransport, remoteTransport } from './webrtc.ts';

/**
 * Answers an offer (RFC 3264 §6), as text or as it was parsed before: accepts the first possible audio stream, with the codecs in the order of
 * the offer, and refuses all other streams. A problem means 488, or 400 for a malformed offer. Throws when `local.previous` is malformed.
 */
export function answerOffer(
  offer: string | SessionDescription,
  capabilities: MediaCapabilities,
  local: LocalSession,
  limits?: SdpLimits,
): { readonly answer: string; readonly agreed: AgreedAudio } | { readonly problem: SdpProblem } {
  const parsed = typeof offer === 'string' ? parseSdp(offer, limits) : { session: offer };
  if ('problem' in parsed) return parsed;
  const { session } = parsed;
  const accepted = acceptStream(session, capabilities);
  if ('problem' in accepted) return accepted;
  const { index, ours, agreed } = accepted;
  // RFC 3264 §6: as many m= lines as the offer, in its order.
  const media = session.media.map((line, i) => (i === index ? ours : refusedMedia(line)));
  const answer = writeDescription(local, capabilities.address, session.timing, media, previousOf(local));
  return { answer, agreed };
}

/** Whether `answerOffer` has an answer to a parsed offer, without writing it. */
export function isAcceptable(offer: SessionDescription, capabilities: MediaCapabilities): boolean {
  return !('problem' in acceptStream(offer, capabilities));
}

/** The first possible audio stream: its position, our line and the agreement. */
function acceptStream(
  session: SessionDescription,
  capabilities: MediaCapabilities,
):
  | { readonly index: number; readonly ours: LocalMedia; readonly agreed: AgreedAudio }
  | { readonly problem: SdpProblem } {
  let problem: SdpProblem = 'no-audio';
  for (const [index, theirs] of session.media.entries()) {
    if (theirs.kind !== 'audio' || (theirs.port === 0 && !theirs.transport.isBundleOnly)) continue;
    const secured = secure(theirs, capabilities, session.bundle);
    if ('problem' in secured) {
      problem = secured.problem;
      continue;
    }
    const ours = { ...answeringAudio(theirs, capabilities), ...secured.ours };
    const agreed = agree(describeOurs(ours, capabilities), theirs, capabilities.codecs);
    if ('problem' in agreed) {
      problem = agreed.problem;
      continue;
    }
    return { index, ours, agreed: { ...agreed, ...secured.agreed } };
  }
  return { problem };
}

/** The protection of the stream: the attributes of our line, and the agreement of both lines. */
function secure(
  theirs: MediaDescription,
  capabilities: MediaCapabilities,
  bundle: readonly string[],
):
  | { readonly ours: Partial<LocalMedia>; readonly agreed: Pick<AgreedAudio, 'crypto' | 'webrtc'> }
  | { readonly problem: SdpProblem } {
  if (isWebrtcProfile(theirs.protocol) && capabilities.webrtc !== undefined) {
    const webrtc = remoteTransport(theirs, 'offer');
    if ('problem' in webrtc) return webrtc;
    const isBundled = theirs.transport.mid !== undefined && bundle.includes(theirs.transport.mid);
    const ours = {
      webrtc: { local: capabilities.webrtc, setup: 'passive', isBundled },
      ...midOf(theirs),
    } as const;
    return { ours, agreed: { webrtc } };
  }
  if (!(capabilities.protocols ?? ['RTP/AVP']).includes(theirs.protocol))
    return { problem: 'unsupported-transport' };
  const chosen = chooseCrypto(theirs.crypto, capabilities.crypto ?? []);
  if (chosen === undefined) {
    const isDemanded = isSecureProfile(theirs.protocol) || capabilities.requiresCrypto === true;
    return isDemanded ? { problem: 'no-common-crypto' } : { ours: {}, agreed: {} };
  }
  const { ours } = chosen;
  const crypto = { suite: ours.suite, sendKey: ours.keyAndSalt, receiveKey: chosen.theirs.keyAndSalt };
  return { ours: { crypto: [ours] }, agreed: { crypto } };
}

/**
 * Our side of one stream: the offer's formats that we support, under its numbers and in its order (RFC 3264 §6.1), with the clock
 * and sample rate of the first. Any other format would need a new offer.
 */
function answeringAudio(theirs: MediaDescription, capabilities: MediaCapabilities): LocalMedia {
  const rtpmaps: NonNullable<LocalMedia['rtpmaps']>[number][] = [];
  let first: CodecCapability | undefined;
  for (const payloadType of inOrder(theirs, capabilities)) {
    const codec = capabilityFor(theirs, payloadType, capabilities.codecs);
    if (codec === undefined || rtpmaps.some(({ name, clockRate }) => isSame(codec, name, clockRate)))
      continue;
    first ??= codec;
    if (isOfOneFormat(first, codec)) rtpmaps.push({ ...codec, payloadType });
  }
  const events = capabilities.telephoneEvent ?? '0-15';
  const clockRate = first === undefined ? undefined : telephoneEventClock(theirs, first.clockRate);
  const payloadType = clockRate === undefined ? undefined : telephoneEventIn(theirs, clockRate);
  if (events !== false && clockRate !== undefined && payloadType !== undefined) {
    const fmtp = isWebrtcProfile(theirs.protocol) ? {} : { fmtp: events };
    rtpmaps.push({ payloadType, name: telephoneEventName, clockRate, ...fmtp });
  }
  return {
    kind: 'audio',
    port: capabilities.port,
    protocol: theirs.protocol,
    formats: rtpmaps.map(({ payloadType }) => String(payloadType)),
    rtpmaps,
    direction: meet(capabilities.direction ?? 'sendrecv', effectiveDirection(theirs)),
    ptimeMs: capabilities.ptimeMs ?? 20,
    rtcpMux: theirs.rtcpMux && (capabilities.rtcpMux ?? true),
  };
}

/** The payload types of the offer, in its order or in ours. */
function inOrder(theirs: MediaDescription, { codecs, answersInOurOrder }: MediaCapabilities) {
  if (!answersInOurOrder) return theirs.payloadTypes;
  const rank = (payloadType: number): number => {
    const codec = capabilityFor(theirs, payloadType, codecs);
    return codec === undefined ? codecs.length : codecs.indexOf(codec);
  };
  return [...theirs.payloadTypes].sort((one, other) => rank(one) - rank(other));
}

function isSame(codec: { name: string; clockRate: number }, name: string, clockRate: number): boolean {
  return codec.name === name && codec.clockRate === clockRate;
}

/** Our line in its parsed form. */
function describeOurs(ours: LocalMedia, capabilities: MediaCapabilities): MediaDescription {
  const rtpmaps = ours.rtpmaps ?? [];
  return {
    kind: ours.kind,
    port: ours.port,
    protocol: ours.protocol,
    formats: ours.formats,
    payloadTypes: rtpmaps.map(({ payloadType }) => payloadType),
    address: capabilities.address,
    direction: ours.direction ?? 'sendrecv',
    rtpmaps: new Map(
      rtpmaps.map(({ payloadType, name, clockRate, channels = 1 }) => [
        payloadType,
        { name, clockRate, channels },
      ]),
    ),
    fmtp: new Map(),
    ptimeMs: ours.ptimeMs,
    maxPtimeMs: undefined,
    rtcp: undefined,
    rtcpMux: ours.rtcpMux ?? false,
    crypto: [],
    transport: noTransport,
  };
}
