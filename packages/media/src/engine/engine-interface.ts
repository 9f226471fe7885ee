import type { TakeCaptured } from '../capture/capture.ts';
import type { AudioCodec } from '../codec/audio-codec.ts';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';
import type { EngineStreams } from '../stream/engine-streams.ts';
import type {
  AgreedKeys,
  AgreedMedia,
  LegStatistics,
  MediaNotice,
  MixCommand,
  SoundClip,
} from './commands.ts';
import type { EngineCensus, EngineCounters, EngineLimits } from './engine-limits.ts';
import type { Moves } from './moves.ts';
import type { SendPacket } from './send-packet.ts';
import type { ClipPiece } from './sound-library.ts';

/**
 * The mixes and legs of one media thread. Commands, packets and ticks are its inputs; packets and notices are its
 * outputs. It reads no clock and opens no socket, so it also runs on a virtual clock. `nowMs` is milliseconds since the
 * epoch and never decreases.
 */
export interface MediaEngine {
  /** Creates a leg and returns its index for `receive`; undefined when the name is in use or the limit is reached. */
  openLeg(leg: string): number | undefined;
  /** False when there is no such leg, codec or cipher. */
  connectLeg(leg: string, agreed: AgreedMedia, nowMs: number): boolean;
  /**
   * The handshake of the leg is over and its certificate is the agreed one: packets are sent and accepted with these keys. After each
   * `connectLeg` by DTLS it is called again. False when the leg awaits no keys.
   */
  secureLeg(leg: string, keys: AgreedKeys, nowMs: number): boolean;
  /** Sends an RTCP BYE and forgets the leg. Its index is used again. */
  closeLeg(leg: string, nowMs: number): LegStatistics;
  /** The counters of a leg until now; undefined when it is not open. */
  measureLeg(leg: string): LegStatistics | undefined;
  /** Takes effect at the next tick. A command for an unknown mix or leg is counted as ignored. */
  apply(command: MixCommand, nowMs: number): void;
  /** Keeps a clip (see SoundLibrary); false when it does not fit into the limit. */
  loadClip(name: string, clip: SoundClip, narrow?: Int16Array): boolean;
  /** Adds to a clip that grows (see SoundLibrary); false when it does not fit into the limit. */
  growClip(name: string, piece: ClipPiece): boolean;
  dropClip(name: string): void;
  /** Handles a packet that arrived on the leg's RTP port. `bytes` is read during the call only. False when it was dropped. */
  receive(
    leg: number,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    nowMs: number,
  ): boolean;
  /** Handles a packet that arrived on the leg's RTCP port. */
  receiveReport(
    leg: number,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    nowMs: number,
  ): void;
  /**
   * Runs one step: one frame of each due leg. Call it `phases` times in 20 ms, at even intervals. All legs missed
   * `skipped` frames before it: timestamps jump over them.
   */
  tick(nowMs: number, skipped?: number): void;
  /** Without legs, captures, streams and plays, ticks have no effect: the host may leave them out, see `rest`. */
  isIdle(): boolean;
  /** The host left out the ticks of this many whole frames, in which the engine was idle. */
  rest(frames: number): void;
  /** Emits the samples that the captures still hold, then ends the captures. */
  endCaptures(): void;
  /** Renders the built-in sounds in advance. Without it, the first use renders them and takes up to 30 ms. */
  warmUp(): void;
  /** Counts the sources that reach a leg without an edge. Anything but 0 is a bug. For tests and a slow timer. */
  countLeaks(): number;
  census(): EngineCensus;
  /** Audio to and from programs. */
  readonly streams: EngineStreams;
  /** Moves legs to another engine, and continues those of another engine. */
  readonly moves: Moves;
  readonly counters: Readonly<EngineCounters>;
}

/** What an engine needs from outside. */
export interface MediaEngineDeps {
  readonly send: SendPacket;
  readonly sendReport: SendPacket;
  readonly notify: (notice: MediaNotice) => void;
  /** Receives captured samples and owns them: each chunk is a new array. Captures are refused without it. */
  readonly captured?: TakeCaptured;
  /** Uniform in [0, 1): for stream identifiers, start numbers and report intervals. */
  readonly random: () => number;
  /** The CNAME of this engine in RTCP, for example a random word. */
  readonly cname: string;
  /** Opens Opus for one leg with the other side's `a=fmtp`. Without it, legs have no Opus. */
  readonly openOpus?: (parameters: string) => AudioCodec;
  /** See LatchOptions; admits no address when left out. */
  readonly isAdmitted?: (address: string) => boolean;
  /** For SRTP. Without it, legs that need SRTP are not connected. */
  readonly ciphers?: SrtpCiphers;
  /** A leg without RTP for this long emits `media-silent`; default 60,000. */
  readonly mediaSilentMs?: number;
  /** Steps in the 20 ms of a frame; default 1. With more, each mix runs soon after its members' packets arrive. */
  readonly phases?: number;
  readonly limits?: Partial<EngineLimits>;
}
