import type { AudioCodec } from '../codec/audio-codec.ts';
import type { RtpHeader } from '../rtp/rtp-packet.ts';
import type { FramePace } from './frame-pace.ts';
import type { JitterCounters } from './jitter-counters.ts';
import type { PacketRing } from './packet-ring.ts';

/** Payload types of the stream that carry audio; all others only fill their sequence numbers. */
export type AudioPayloads = readonly { readonly payloadType: number; readonly codec: AudioCodec }[];

/** Options of a jitter buffer. */
export interface JitterBufferOptions {
  /** RTP timestamp units a second; the same for all payloads. */
  readonly clockRate: number;
  /** Samples a second that `take` returns, the rate of the codecs; default `clockRate`. */
  readonly sampleRate?: number;
  /** Samples of one `take`, usually 20 ms. */
  readonly frameSamples: number;
  readonly payloads: AudioPayloads;
  /** The delay on a perfect network; default 0, where the next `take` plays a packet. */
  readonly minDelayMs?: number;
  /** The limit of waiting audio; default 200. */
  readonly maxDelayMs?: number;
  /** Longest payload in bytes; default that of the longest packet that sockets receive. */
  readonly maxPayloadBytes?: number;
}

/** The receiver of one RTP stream: packets go in when they arrive, audio comes out at a constant pace. */
export interface JitterBuffer {
  /**
   * Stores one parsed packet and copies its payload; returns one of `arrival`. `arrivalMs` and `nowMs` are on one
   * monotonic clock.
   */
  put(header: RtpHeader, bytes: Uint8Array, arrivalMs: number): number;
  /**
   * Fills the first `frameSamples` of `out` and returns one of `taken`. To be called once per frame, even without
   * listeners.
   */
  take(out: Int16Array, nowMs: number): number;
  /** Replaces the audio payload types after an offer and answer; the stream continues. */
  setPayloads(payloads: AudioPayloads): void;
  /** Duration of a payload of this type in timestamp units; 0 for other payloads than audio. */
  unitsIn(payloadType: number, bytes: Uint8Array, offset: number, length: number): number;
  /** Forgets the stream; keeps the counters. */
  reset(): void;
  /** The audio goes on without this buffer: costly codecs decode silence, and give back the memory of their concealment. False at the start. */
  set isUnheard(isUnheard: boolean);
  readonly counters: Readonly<JitterCounters>;
  /** Waiting audio, in milliseconds. */
  readonly depthMs: number;
  /** Delay that the network's jitter requires above that of the fastest packets, in milliseconds. */
  readonly jitterMs: number;
  readonly pace: FramePace;
  /** False before the first audio and between talkspurts. */
  readonly isPlaying: boolean;
  /** The timestamp up to which audio was taken or concealed; valid while it plays. */
  readonly position: number;
  /** The sequence number of the packet with whose first sample the next `take` begins; −1 where it begins otherwise. */
  readonly nextPacket: number;
  /** The newest received packet, and the waiting packets. */
  readonly newestPacket: number;
  readonly packets: PacketRing;
}
