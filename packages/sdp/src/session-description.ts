import type { CryptoAttribute } from './crypto-attribute.ts';
import type { Direction } from './direction.ts';
import type { MediaTransport } from './media-transport.ts';

/** A parsed session description (RFC 8866), reduced to the fields that offer and answer need. */
export interface SessionDescription {
  readonly origin: {
    readonly username: string;
    /** A decimal number, of up to 64 bits: text. */
    readonly sessionId: string;
    readonly version: string;
    readonly address: string;
  };
  /** `t=`, which an answer repeats (RFC 3264 §6). */
  readonly timing: { readonly start: string; readonly stop: string };
  /** The mids of the first BUNDLE group (RFC 9143); empty without one. */
  readonly bundle: readonly string[];
  /** One for each m= line, in order. */
  readonly media: readonly MediaDescription[];
}

/** The value of `a=rtpmap`. */
export interface Encoding {
  readonly name: string;
  readonly clockRate: number;
  readonly channels: number;
}

/** One m= line with its attributes, and those of the session as defaults. */
export interface MediaDescription {
  /** audio, video, application, … */
  readonly kind: string;
  /** 0: refused or removed (RFC 3264 §6, §8.2). */
  readonly port: number;
  /** E.g. RTP/AVP. */
  readonly protocol: string;
  /** The formats as written; those of an RTP profile are payload types. */
  readonly formats: readonly string[];
  /** The numeric formats 0–127, without repetitions. */
  readonly payloadTypes: readonly number[];
  /** Undefined when neither this line nor the session has `c=`. */
  readonly address: string | undefined;
  readonly direction: Direction;
  readonly rtpmaps: ReadonlyMap<number, Encoding>;
  readonly fmtp: ReadonlyMap<number, string>;
  readonly ptimeMs: number | undefined;
  readonly maxPtimeMs: number | undefined;
  /** `a=rtcp` (RFC 3605). */
  readonly rtcp: { readonly port: number; readonly address: string | undefined } | undefined;
  /** `a=rtcp-mux` (RFC 5761). */
  readonly rtcpMux: boolean;
  /** `a=crypto` (RFC 4568), in order; of lines with the same tag the first. */
  readonly crypto: readonly CryptoAttribute[];
  readonly transport: MediaTransport;
}

/** Why a description was not accepted. */
export type SdpProblem =
  | 'too-large' // more bytes, lines or media than the limits allow
  | 'malformed' // no v=0, no o=, a malformed m= line, control characters
  | 'no-audio' // no audio stream, or only refused ones
  | 'unsupported-transport' // audio over unsupported transports only, or WebRTC without a required attribute
  | 'no-common-codec'
  | 'no-common-crypto' // SRTP without a common suite and usable key or fingerprint, or plain RTP where SRTP is required
  | 'bad-address' // missing, not an IP address, or multicast
  | 'media-mismatch' // the answer's m= lines do not match those of the offer
  | 'refused'; // the answer refuses our audio
