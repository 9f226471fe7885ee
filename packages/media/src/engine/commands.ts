import type { CodecName } from '../codec/audio-codec.ts';
import type { SrtpSuiteName } from '../rtp/srtp-suite.ts';

/** What an engine is told about its mixes; plain data, so that it crosses threads. */
export type MixCommand =
  | { readonly do: 'open-mix'; readonly mix: string }
  /** Members hear nothing from then on; plays end without a notice. */
  | { readonly do: 'close-mix'; readonly mix: string }
  /** Replaces membership and edges between two ticks. A member hears exactly the members in `hears`. */
  | {
      readonly do: 'set-hearing';
      readonly mix: string;
      readonly members: readonly { readonly leg: string; readonly hears: readonly string[] }[];
    }
  /**
   * Adds a sound to what the legs of `to` hear, members or not; the same key again replaces it. With `alone` they hear nothing
   * else until it ends; of several such plays the newest is heard.
   */
  | {
      readonly do: 'play';
      readonly mix: string;
      readonly key: string;
      readonly to: readonly string[];
      readonly sound: Sound;
      readonly loop: boolean;
      readonly alone?: boolean;
    }
  | { readonly do: 'stop-play'; readonly mix: string; readonly key: string }
  /** RFC 4733 events, one after another; `w` waits 0.5 s, `W` 1 s. */
  | { readonly do: 'send-digits'; readonly leg: string; readonly digits: string }
  /** Tells when the leg begins and ceases to speak; the first notice, 100 ms after the watch began, says how it is. */
  | { readonly do: 'watch-voice'; readonly leg: string; readonly watched: boolean }
  /** Begins a capture, or gives one that runs other legs for its tracks, whose number stays. */
  | { readonly do: 'capture'; readonly capture: string; readonly tracks: readonly CaptureTrack[] }
  /** What passes during a pause is not kept, and takes no time. */
  | { readonly do: 'pause-capture'; readonly capture: string; readonly paused: boolean }
  /** The last chunk follows, then the end is told; of one that does not run the end alone. */
  | { readonly do: 'end-capture'; readonly capture: string };

/** One channel of a capture: the sum of what some legs say and of what others are sent. A leg that is not open is silent. */
export interface CaptureTrack {
  readonly said: readonly string[];
  readonly heard: readonly string[];
}

/** What can be played; levels and lengths of the built-in sounds are in playout/sounds.ts. */
export type Sound =
  | { readonly kind: 'beep'; readonly count: 1 | 2 }
  /** `levelDb` relative to a full-scale sine; endless without a duration. */
  | {
      readonly kind: 'tone';
      readonly frequencyHz: number;
      readonly levelDb: number;
      readonly durationMs?: number;
    }
  | { readonly kind: 'hold-music' }
  | { readonly kind: 'clip'; readonly name: string }
  | { readonly kind: 'ringback' };

/** What an engine tells; plain data. */
export type MediaNotice =
  | { readonly type: 'digit'; readonly leg: string; readonly digit: string; readonly durationMs: number }
  /** The play reached its end, lost its last listener or named a clip that is not loaded; not after stop or replacement. */
  | { readonly type: 'play-ended'; readonly mix: string; readonly key: string }
  /** Of a watched leg: it has begun to speak, or has not spoken for half a second. */
  | { readonly type: 'voice'; readonly leg: string; readonly speaking: boolean }
  /** No RTP for this long although the leg is expected to send; once per silence. */
  | { readonly type: 'media-silent'; readonly leg: string; readonly forMs: number };

/** What offer and answer agreed on. `direction` is our own, as in our SDP. */
export interface AgreedMedia {
  readonly address: string;
  readonly port: number;
  /** Addresses that the signalling came from: packets that come from there before any others are the leg's as well (see `Latch`). */
  readonly signalledFrom?: readonly string[];
  /** Equal to `port` for RFC 5761; `port` + 1 when left out. */
  readonly rtcpPort?: number;
  /** What we send, under the numbers of the other side (RFC 3264 §5.1: they belong to who receives). */
  readonly codec: CodecName;
  /** Of its RTP timestamps, which tells the rates of L16 apart; the codec's only one when left out. */
  readonly clockRate?: number;
  /** What the other side's `a=fmtp` says about it. */
  readonly parameters?: string;
  readonly payloadType: number;
  readonly telephoneEventPayloadType?: number;
  /** All that the other side may send, under our numbers; what we send when left out. Others than those of its clock and sample rate are not taken. */
  readonly receive?: readonly AgreedPayload[];
  /** Of the durations of events; that of the codec when left out. */
  readonly telephoneEventClockRate?: number;
  /** Our number for events that come; `telephoneEventPayloadType` when left out. */
  readonly receiveTelephoneEventPayloadType?: number;
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
  readonly ptimeMs: number;
  /** SRTP (RFC 3711) both ways; RTP in the clear when left out. */
  readonly protection?: AgreedProtection;
}

/** Master keys and salts of both directions, one behind the other (RFC 4568 §6.1). */
export interface AgreedProtection {
  readonly suite: SrtpSuiteName;
  readonly sendKey: Uint8Array;
  readonly receiveKey: Uint8Array;
}

/** A codec under one RTP payload type, 0–127. */
export interface AgreedPayload {
  readonly payloadType: number;
  readonly codec: CodecName;
  readonly clockRate?: number;
}

/** 16-bit mono samples. */
export interface SoundClip {
  readonly sampleRate: number;
  readonly samples: Int16Array;
}

/** Counters of one leg over its life. */
export interface LegStatistics {
  readonly packetsReceived: number;
  readonly bytesReceived: number;
  readonly packetsSent: number;
  readonly bytesSent: number;
  readonly packetsLost: number;
  readonly jitterMs: number;
  readonly framesConcealed: number;
  readonly packetsLate: number;
  readonly strangersDropped: number;
  readonly malformedDropped: number;
  /** SRTP: packets whose tag is wrong, and packets that had been taken before. */
  readonly unauthenticatedDropped: number;
  readonly replayedDropped: number;
  readonly digitsReceived: number;
  readonly digitsSent: number;
  /** What was agreed on last; undefined when nothing was, or RTP went in the clear. */
  readonly codec?: CodecName;
  readonly protection?: SrtpSuiteName;
  readonly roundTripMs?: number;
  readonly remoteFractionLost?: number;
  /** Estimated mean opinion score of what came, 1–4.5, see `estimatedMos`; undefined when nothing came. */
  readonly mos?: number;
}

/** What a leg that was never open has to tell. */
export const noStatistics: LegStatistics = {
  packetsReceived: 0,
  bytesReceived: 0,
  packetsSent: 0,
  bytesSent: 0,
  packetsLost: 0,
  jitterMs: 0,
  framesConcealed: 0,
  packetsLate: 0,
  strangersDropped: 0,
  malformedDropped: 0,
  unauthenticatedDropped: 0,
  replayedDropped: 0,
  digitsReceived: 0,
  digitsSent: 0,
};
