import type { AudioCodec } from '../codec/audio-codec.ts';
import type { RtpHeader } from '../rtp/rtp-packet.ts';
import type { FramePace } from './frame-pace.ts';
import type { JitterCounters } from './jitter-counters.ts';
import type { PacketRing } from './packet-ring.ts';

/** Payload types of the stream that carry audio; every other one only fills its sequence number. */
export type AudioPayloads = readonly { readonly payloadType: number; readonly codec: AudioCodec }[];

/** Tunes a jitter buffer. */
export interface JitterBufferOptions {
  /** Ticks of the RTP timestamp a second; the same for all payloads. */
  readonly clockRate: number;
  /** Samples a second that `take` delivers, the codecs' rate; default `clockRate`. */
  readonly sampleRate?: number;
  /** Samples of one `take`: 20 ms, as a rule. */
  readonly frameSamples: number;
  readonly payloads: AudioPayloads;
  /** Delay that is kept even on a perfect network; default 0: a packet is played by the next `take`. */
  readonly minDelayMs?: number;
  /** No more than this waits, whatever the network does; default 200. */
  readonly maxDelayMs?: number;
  /** Longest payload in bytes; default 640, 80 ms of G.711. */
  readonly maxPayloadBytes?: number;
}

/** The receiving end of one RTP stream: packets go in as they come, audio comes out at an even pace. */
export interface JitterBuffer {
  /** Takes one packet, already read, and copies its payload; returns one of `arrival`. `arrivalMs` and `nowMs` are of one monotonic clock. */
  put(header: RtpHeader, bytes: Uint8Array, arrivalMs: number): number;
  /** Fills the first `frameSamples` of `out` and returns one of `taken`. To be called once a frame, also when nobody listens. */
  take(out: Int16Array, nowMs: number): number;
  /** Exchanges the audio payload types, after an offer and answer; the stream goes on. */
  setPayloads(payloads: AudioPayloads): void;
  /** Timestamp units that a payload of this type stands for; 0 for what is no audio. */
  unitsIn(payloadType: number, bytes: Uint8Array, offset: number, length: number): number;
  /** Forgets the stream; counters stay. */
  reset(): void;
  readonly counters: Readonly<JitterCounters>;
  /** Audio that waits here, in milliseconds. */
  readonly depthMs: number;
  /** What the network's jitter asks for, in milliseconds, above the delay of its fastest packets. */
  readonly jitterMs: number;
  readonly pace: FramePace;
  /** False before the first audio and between talkspurts. */
  readonly isPlaying: boolean;
  /** The timestamp up to which audio was taken, or made up in its place; only while it plays. */
  readonly position: number;
  /** The sequence number of the packet whose first sample the next `take` begins with; −1 where it begins with any other. */
  readonly nextPacket: number;
  /** The newest packet that came, and the packets that wait. */
  readonly newestPacket: number;
  readonly packets: PacketRing;
}
