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
import { isWebrtcProfile, type RemoteTransport } from './webrtc.ts';

/** The audio stream of an offer and its answer, seen from our side. */
export interface AgreedAudio {
  /** The codec that we send. */
  readonly codec: CodecCapability;
  /** Its number in the other side's description (RFC 3264 §5.1: the receiver assigns the numbers). */
  readonly payloadType: number;
  /** Its `a=fmtp` in the other side's description. */
  readonly fmtp?: string;
  /** The number of telephone events in the other side's description; absent without any. */
  readonly telephoneEventPayloadType?: number;
  readonly receiveTelephoneEventPayloadType?: number;
  /** Hz of the events' durations; the codec's clock rate when absent. */
  readonly telephoneEventClockRate?: number;
  /**
   * Codecs that the other side may send, under our numbers, switching at any time. All have the clock and sample rate of the
   * codec that we send: any other would be another stream.
   */
  readonly receive: readonly { readonly payloadType: number; readonly codec: CodecCapability }[];
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** RTCP on the port of RTP (RFC 5761), in both directions. */
  readonly rtcpMux: boolean;
  readonly rtcpAddress: string;
  readonly rtcpPort: number;
  /** Our direction: whether we send, and whether we expect media. */
  readonly direction: Direction;
  /** The other side does not receive: it has put the call on hold. */
  readonly isHeldByRemote: boolean;
  /** Packet time that the other side requests, within 10–60 ms and its maxptime; 20 by default. */
  readonly ptimeMs: number;
  /** SRTP in both directions; plain RTP when absent, unless `webrtc` is present. */
  readonly crypto?: AgreedCrypto;
  /**
   * WebRTC: DTLS with a certificate of one of these fingerprints gives the keys, and ICE checks the sources of packets. The remote address
   * is then meaningless.
   */
  readonly webrtc?: RemoteTransport;
}

/** Whether a profile uses SRTP (RFC 3711 §12, RFC 5124). */
export function isSecureProfile(protocol: string): boolean {
  return protocol === 'RTP/SAVP' || protocol === 'RTP/SAVPF';
}

/**
 * The agreement of both descriptions of one stream. `ours` lists our codecs; we send the first of `theirs` that is among them
 * and in `ourMedia` (RFC 3264 §6.1, §7).
 */
export function agree(
  ourMedia: MediaDescription,
  theirMedia: MediaDescription,
  codecs: readonly CodecCapability[],
): AgreedAudio | { readonly problem: SdpProblem } {
  const address = isWebrtcProfile(theirMedia.protocol) ? nowhere : theirMedia.address;
  if (address === undefined || !(isUnicastAddress(address) || isHoldAddress(address))) {
    return { problem: 'bad-address' };
  }
  const receive = codecsOf(ourMedia, codecs);
  const sent = codecsOf(theirMedia, codecs).find(({ codec }) => receive.some((ours) => ours.codec === codec));
  if (sent === undefined) return { problem: 'no-common-codec' };

  const theirs = effectiveDirection(theirMedia);
  const { codec, payloadType } = sent;
  const rtcpMux = ourMedia.rtcpMux && theirMedia.rtcpMux;
  const rtcp = rtcpMux ? undefined : theirMedia.rtcp;
  // RFC 3550 §11: the next port by default.
  const nextPort = Math.min(theirMedia.port + 1, 65535);
  // Without spreads: each property of an object that is spread behind others costs 0.1 µs.
  const agreed: Writable<AgreedAudio> = {
    codec,
    payloadType,
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
  const fmtp = theirMedia.fmtp.get(payloadType);
  if (fmtp !== undefined) agreed.fmtp = fmtp;
  agreeOnEvents(agreed, ourMedia, theirMedia);
  return agreed;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Those of our codecs that a description has, in its order. */
function codecsOf(media: MediaDescription, codecs: readonly CodecCapability[]): AgreedAudio['receive'] {
  const found: { readonly payloadType: number; readonly codec: CodecCapability }[] = [];
  for (const payloadType of media.payloadTypes) {
    const codec = capabilityFor(media, payloadType, codecs);
    if (codec !== undefined) found.push({ payloadType, codec });
  }
  return found;
}

/** Telephone events, where both sides have them with the clock that the other side's description allows. */
function agreeOnEvents(
  agreed: Writable<AgreedAudio>,
  ourMedia: MediaDescription,
  theirMedia: MediaDescription,
): void {
  const clock = telephoneEventClock(theirMedia, agreed.codec.clockRate);
  if (clock === undefined) return;
  const theirs = telephoneEventIn(theirMedia, clock);
  const ours = telephoneEventIn(ourMedia, clock);
  if (theirs !== undefined && ours !== undefined) {
    agreed.telephoneEventPayloadType = theirs;
    agreed.receiveTelephoneEventPayloadType = ours;
  }
  if (theirs !== undefined && clock !== agreed.codec.clockRate) agreed.telephoneEventClockRate = clock;
}

/** The remote address of a stream whose sources ICE finds. */
const nowhere = '0.0.0.0';

/** The direction of a description's writer: with c=0.0.0.0 (RFC 2543) it does not receive (RFC 3264 §8.4). */
export function effectiveDirection(media: MediaDescription): Direction {
  // With ICE 0.0.0.0 is the address of a browser that has not found its own yet (RFC 8840 §4.1.1).
  const isHeld =
    media.address !== undefined && isHoldAddress(media.address) && !isWebrtcProfile(media.protocol);
  return isHeld ? directionOf(sends(media.direction), false) : media.direction;
}

/** RFC 3264 §5.1: ptime is the packet time that the writer prefers to receive; rounded to tens, the frame size of codecs. */
function packetTime(media: MediaDescription): number {
  const longest = Math.min(media.maxPtimeMs ?? 60, 60);
  const requestedMs = Math.min(media.ptimeMs ?? 20, longest);
  return Math.max(10, Math.floor(requestedMs / 10) * 10);
}
