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
  refusedMedia,
  writeDescription,
} from './local-media.ts';
import { parseSdp, type SdpLimits } from './parse-sdp.ts';
import type { MediaDescription, SdpProblem } from './session-description.ts';

/**
 * Answers an offer (RFC 3264 §6): accepts the first possible audio stream, with the codecs in the order of the offer, and
 * refuses all other streams. A problem means 488, or 400 for a malformed offer. Throws when `local.previous` is malformed.
 */
export function answerOffer(
  offer: string,
  capabilities: MediaCapabilities,
  local: LocalSession,
  limits?: SdpLimits,
): { readonly answer: string; readonly agreed: AgreedAudio } | { readonly problem: SdpProblem } {
  const parsed = parseSdp(offer, limits);
  if ('problem' in parsed) return parsed;
  const { session } = parsed;
  let problem: SdpProblem = 'no-audio';
  for (const [place, theirs] of session.media.entries()) {
    if (theirs.kind !== 'audio' || theirs.port === 0) continue;
    if (!(capabilities.protocols ?? ['RTP/AVP']).includes(theirs.protocol)) {
      problem = 'unsupported-transport';
      continue;
    }
    const chosen = chooseCrypto(theirs.crypto, capabilities.crypto ?? []);
    if (chosen === undefined && (isSecureProfile(theirs.protocol) || capabilities.requiresCrypto)) {
      problem = 'no-common-crypto';
      continue;
    }
    const crypto = chosen && {
      suite: chosen.ours.suite,
      sendKey: chosen.ours.keyAndSalt,
      receiveKey: chosen.theirs.keyAndSalt,
    };
    const ours = { ...answeringAudio(theirs, capabilities), ...(chosen && { crypto: [chosen.ours] }) };
    const agreed = agree(describeOurs(ours, capabilities), theirs, capabilities.codecs);
    if ('problem' in agreed) {
      problem = agreed.problem;
      continue;
    }
    // RFC 3264 §6: as many m= lines as the offer, in its order.
    const media = session.media.map((line, i) => (i === place ? ours : refusedMedia(line)));
    return {
      answer: writeDescription(local, capabilities.address, session.timing, media, previousOf(local)),
      agreed: crypto === undefined ? agreed : { ...agreed, crypto },
    };
  }
  return { problem };
}

/**
 * Our side of one stream: the offer's formats that we support, under its numbers and in its order (RFC 3264 §6.1), with the clock
 * and sample rate of the first. Any other format would need a new offer.
 */
function answeringAudio(theirs: MediaDescription, capabilities: MediaCapabilities): LocalMedia {
  const rtpmaps: NonNullable<LocalMedia['rtpmaps']>[number][] = [];
  let first: CodecCapability | undefined;
  for (const payloadType of theirs.payloadTypes) {
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
    rtpmaps.push({ payloadType, name: telephoneEventName, clockRate, fmtp: events });
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
  };
}
