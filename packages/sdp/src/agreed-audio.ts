import { isHoldAddress, isUnicastAddress } from './address.ts';
import {
  type CodecCapability,
  capabilityFor,
  isOfOneFormat,
  telephoneEventClock,
  telephoneEventIn,
} from './codec-capability.ts';
import type { AgreedCrypto } from './crypto-attribute.ts';
import { type Direction, directionOf, meet, receives, sends } from './direction.ts';
import type { MediaDescription, SdpProblem } from './session-description.ts';

/** The one audio stream that an offer and its answer agreed on, seen from our side. */
export interface AgreedAudio {
  /** What we send. */
  readonly codec: CodecCapability;
  /** The number under which the other side wants it (RFC 3264 §5.1: numbers belong to who receives them). */
  readonly payloadType: number;
  /** What the other side says about it in `a=fmtp`. */
  readonly fmtp?: string;
  /** The number under which the other side wants telephone events; absent when it wants none. */
  readonly telephoneEventPayloadType?: number;
  readonly receiveTelephoneEventPayloadType?: number;
  /** Of the events' durations; the codec's where it is left out. */
  readonly telephoneEventClockRate?: number;
  /**
   * What the other side may send, under our numbers; it may change between them at any time. Only what runs on the clock and at the
   * sample rate of what we send: another one would be another stream.
   */
  readonly receive: readonly { readonly payloadType: number; readonly codec: CodecCapability }[];
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** RTCP on the port of RTP (RFC 5761), both ways. */
  readonly rtcpMux: boolean;
  readonly rtcpAddress: string;
  readonly rtcpPort: number;
  /** Ours: we send when it says so, and expect media when it says so. */
  readonly direction: Direction;
  /** The other side does not want to hear us: it put the call on hold. */
  readonly isHeldByRemote: boolean;
  /** Packetisation that the other side asked for, within 10–60 ms and its maxptime; 20 when it did not. */
  readonly ptimeMs: number;
  /** SRTP both ways; RTP in the clear when absent. */
  readonly crypto?: AgreedCrypto;
}

/** Whether a profile is one of SRTP (RFC 3711 §12, RFC 5124). */
export function isSecureProfile(protocol: string): boolean {
  return protocol === 'RTP/SAVP' || protocol === 'RTP/SAVPF';
}

/**
 * What follows from our description and theirs of one stream, once both are known. `ours` names the codecs that we can
 * speak; the first of `theirs` that is among them and in `ourMedia` is what we send (RFC 3264 §6.1, §7).
 */
export function agree(
  ourMedia: MediaDescription,
  theirMedia: MediaDescription,
  codecs: readonly CodecCapability[],
): AgreedAudio | { readonly problem: SdpProblem } {
  const { address } = theirMedia;
  if (address === undefined || !(isUnicastAddress(address) || isHoldAddress(address))) {
    return { problem: 'bad-address' };
  }
  const receive = ourMedia.payloadTypes.flatMap((payloadType) => {
    const codec = capabilityFor(ourMedia, payloadType, codecs);
    return codec === undefined ? [] : [{ payloadType, codec }];
  });
  let sent: { readonly payloadType: number; readonly codec: CodecCapability } | undefined;
  for (const payloadType of theirMedia.payloadTypes) {
    const codec = capabilityFor(theirMedia, payloadType, codecs);
    if (codec === undefined || !receive.some((ours) => ours.codec === codec)) continue;
    sent = { payloadType, codec };
    break;
  }
  if (sent === undefined) return { problem: 'no-common-codec' };

  const theirs = effectiveDirection(theirMedia);
  const eventClock = telephoneEventClock(theirMedia, sent.codec.clockRate);
  const theirEvents = eventClock === undefined ? undefined : telephoneEventIn(theirMedia, eventClock);
  const ourEvents = eventClock === undefined ? undefined : telephoneEventIn(ourMedia, eventClock);
  const fmtp = theirMedia.fmtp.get(sent.payloadType);
  const { codec } = sent;
  const rtcpMux = ourMedia.rtcpMux && theirMedia.rtcpMux;
  const rtcp = rtcpMux ? undefined : theirMedia.rtcp;
  // RFC 3550 §11: the next port, where nothing else is said.
  const nextPort = Math.min(theirMedia.port + 1, 65535);
  return {
    codec,
    payloadType: sent.payloadType,
    ...(fmtp === undefined ? {} : { fmtp }),
    ...(theirEvents !== undefined && ourEvents !== undefined
      ? { telephoneEventPayloadType: theirEvents, receiveTelephoneEventPayloadType: ourEvents }
      : {}),
    ...(theirEvents === undefined || eventClock === undefined || eventClock === codec.clockRate
      ? {}
      : { telephoneEventClockRate: eventClock }),
    receive: receive.filter((ours) => isOfOneFormat(ours.codec, codec)),
    remoteAddress: address,
    remotePort: theirMedia.port,
    rtcpMux,
    rtcpAddress: rtcp?.address !== undefined && isUnicastAddress(rtcp.address) ? rtcp.address : address,
    rtcpPort: rtcpMux ? theirMedia.port : (rtcp?.port ?? nextPort),
    direction: meet(ourMedia.direction, theirs),
    isHeldByRemote: !receives(theirs),
    ptimeMs: packetTime(theirMedia),
  };
}

/** What a description's writer does: c=0.0.0.0 is how RFC 2543 said that it no longer receives (RFC 3264 §8.4). */
export function effectiveDirection(media: MediaDescription): Direction {
  const isHeld = media.address !== undefined && isHoldAddress(media.address);
  return isHeld ? directionOf(sends(media.direction), false) : media.direction;
}

/** RFC 3264 §5.1: ptime is what the writer likes to receive; whole tens, because that is what codecs make. */
function packetTime(media: MediaDescription): number {
  const longest = Math.min(media.maxPtimeMs ?? 60, 60);
  const wanted = Math.min(media.ptimeMs ?? 20, longest);
  return Math.max(10, Math.floor(wanted / 10) * 10);
}
