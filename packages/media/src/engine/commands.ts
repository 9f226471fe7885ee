import type { CodecName } from '../codec/audio-codec.ts';
import type { IceCredentials } from '../ice/ice-agent.ts';
import type { SrtpSuiteName } from '../rtp/srtp-suite.ts';

/**
 * The commands of an engine about its mixes; plain data, so that they can cross threads.
 *
 * Media imports no other package, so the ports state the types of this file as well. They stay equal:
 * packages/adapters/src/media-worker/vocabulary.test.ts compares them.
 */
export type MixCommand =
  | { readonly do: 'open-mix'; readonly mix: string }
  /** Members hear nothing from then on; plays end without a notice. */
  | { readonly do: 'close-mix'; readonly mix: string }
  /** Replaces membership and edges between two ticks. A member hears exactly the members in `hears`. */
  | {
      readonly do: 'set-hearing';
      readonly mix: string;
      readonly members: readonly MixMember[];
    }
  /**
   * Adds a sound to what the legs of `to` hear, members or not; the same key replaces it. With `alone` they hear
   * nothing else until it ends; of several such plays they hear the newest.
   *
   * With `behind` it waits for the end of the play of this key, begins in the frame after its last one, and is stopped with it.
   * Where that play has ended already it begins at once.
   */
  | {
      readonly do: 'play';
      readonly mix: string;
      readonly key: string;
      readonly to: readonly string[];
      readonly sound: Sound;
      readonly loop: boolean;
      readonly alone?: boolean;
      readonly behind?: string;
    }
  | { readonly do: 'stop-play'; readonly mix: string; readonly key: string }
  /** RFC 4733 events, one after another; `w` waits 0.5 s, `W` 1 s. */
  | { readonly do: 'send-digits'; readonly leg: string; readonly digits: string; readonly pressedBy?: string }
  /**
   * Emits a `voice` notice when the leg starts or stops speaking. The first one, after 100 ms, is the current state.
   */
  | { readonly do: 'watch-voice'; readonly leg: string; readonly watched: boolean }
  /** Emits an `answer-sound` notice for each sound of an answering party, until `watched` is false. */
  | { readonly do: 'watch-answer'; readonly leg: string; readonly watched: boolean }
  /** Begins a capture, or replaces the legs of the tracks of a running one; the number of tracks is constant. */
  | { readonly do: 'capture'; readonly capture: string; readonly tracks: readonly CaptureTrack[] }
  /** A paused capture keeps no samples, and its time does not advance. */
  | { readonly do: 'pause-capture'; readonly capture: string; readonly paused: boolean }
  /** Emits the last chunk and the end. For an unknown capture, emits the end only. */
  | { readonly do: 'end-capture'; readonly capture: string };

/**
 * One channel of a capture: the sum of what the `said` legs send and the `heard` legs hear. An unknown leg is silent.
 */
export interface CaptureTrack {
  readonly said: readonly string[];
  readonly heard: readonly string[];
}

/** A member of a mix, and the members that it hears. */
export interface MixMember {
  readonly leg: string;
  readonly hears: readonly string[];
  /** The packets of its keys are not relayed: only `send-digits` passes its keys on. */
  readonly keepsKeys?: boolean;
}

/** A sound to play. playout/sounds.ts has the levels and lengths of the built-in ones. */
export type Sound =
  | { readonly kind: 'beep'; readonly count: 1 | 2 }
  /** `levelDb` is relative to a full-scale sine; endless without a duration. */
  | {
      readonly kind: 'tone';
      readonly frequencyHz: number;
      readonly levelDb: number;
      readonly durationMs?: number;
    }
  | { readonly kind: 'hold-music' }
  | { readonly kind: 'clip'; readonly name: string }
  | { readonly kind: 'ringback' };

/** The end of the sound was reached, the last listener has left, or the play could not begin: an unknown clip, or a limit. */
export type PlayEnd = 'finished' | 'left' | 'refused';

/** The notices of an engine; plain data. */
export type MediaNotice =
  | { readonly type: 'digit'; readonly leg: string; readonly digit: string; readonly durationMs: number }
  /** Keys for a leg that was connected with `reportsKeys`. */
  | { readonly type: 'keys-to-send'; readonly leg: string; readonly digits: string }
  /** Not after a stop or a replacement. */
  | {
      readonly type: 'play-ended';
      readonly mix: string;
      readonly key: string;
      readonly because: PlayEnd;
    }
  /** A watched leg has started to speak, or has not spoken for half a second. */
  | { readonly type: 'voice'; readonly leg: string; readonly speaking: boolean }
  /** Of a leg whose answer is watched: speech has begun or has paused for 200 ms, a steady tone has lasted for 120 ms, or a beep has ended. */
  | {
      readonly type: 'answer-sound';
      readonly leg: string;
      readonly sound: 'voice' | 'pause' | 'tone' | 'beep';
    }
  /** No RTP for this long although the leg should send; once per silence. */
  | { readonly type: 'media-silent'; readonly leg: string; readonly forMs: number };

/** The result of offer and answer. `direction` is ours, as in our SDP. */
export interface AgreedMedia {
  readonly address: string;
  readonly port: number;
  /**
   * Addresses of the signalling: packets from there belong to the leg too, if they arrive before any others (see
   * `Latch`).
   */
  readonly signalledFrom?: readonly string[];
  /** Equal to `port` for RFC 5761; default `port` + 1. */
  readonly rtcpPort?: number;
  /** The codec that we send, under the other side's payload types (RFC 3264 §5.1: the receiver assigns them). */
  readonly codec: CodecName;
  /**
   * Clock rate of its RTP timestamps, which distinguishes the rates of L16; needed only where the codec has several.
   */
  readonly clockRate?: number;
  /** The other side's `a=fmtp` for the codec. */
  readonly parameters?: string;
  readonly payloadType: number;
  readonly telephoneEventPayloadType?: number;
  /** Keys for the leg are not sent as events but reported as `keys-to-send`: its phone is at another node. */
  readonly reportsKeys?: true;
  /**
   * What the other side may send, under our payload types; default: what we send. Codecs of another clock or sample
   * rate are skipped.
   */
  readonly receive?: readonly AgreedPayload[];
  /** Clock rate of event durations; default: that of the codec. */
  readonly telephoneEventClockRate?: number;
  /** Our payload type for received events; default `telephoneEventPayloadType`. */
  readonly receiveTelephoneEventPayloadType?: number;
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
  readonly ptimeMs: number;
  /** SRTP (RFC 3711) both ways; plain RTP when left out. With keys by DTLS, ICE has checked the sources: the address means nothing. */
  readonly protection?: AgreedProtection;
}

/** Where the keys of SRTP come from: the descriptions, or a DTLS handshake on the path of the media. */
export type AgreedProtection = AgreedKeys | AgreedHandshake;

/** Master key followed by its salt, for each direction (RFC 4568 §6.1). */
export interface AgreedKeys {
  readonly by: 'sdes';
  readonly suite: SrtpSuiteName;
  readonly sendKey: Uint8Array;
  readonly receiveKey: Uint8Array;
}

/** WebRTC: the leg is silent until a certificate with one of these fingerprints has agreed on keys (RFC 5763). */
export interface AgreedHandshake {
  readonly by: 'dtls';
  readonly fingerprints: readonly CertificateFingerprint[];
  /** Our credentials of ICE; new ones are a restart. */
  readonly ice: IceCredentials;
}

/** A hash of a certificate (RFC 8122 §5): a name such as `sha-256`, and pairs of upper-case digits between colons. */
export interface CertificateFingerprint {
  readonly hash: string;
  readonly value: string;
}

/** A codec and its RTP payload type, 0–127. */
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

/** Counters of one leg, from its opening on. */
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
  /** SRTP: packets with a wrong tag, and packets that were received before. */
  readonly unauthenticatedDropped: number;
  readonly replayedDropped: number;
  readonly digitsReceived: number;
  readonly digitsSent: number;
  /** The last agreement; undefined without one, or for plain RTP. */
  readonly codec?: CodecName;
  readonly protection?: SrtpSuiteName;
  readonly roundTripMs?: number;
  readonly remoteFractionLost?: number;
}

/** The statistics of a leg that never existed. */
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
