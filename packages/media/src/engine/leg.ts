import type { LegTaps } from '../capture/capture.ts';
import type { AudioCodec, CodecName } from '../codec/audio-codec.ts';
import type { DigitReceiver } from '../codec/digit-receiver.ts';
import type { DigitSender } from '../codec/digit-sender.ts';
import type { AnswerSounds } from '../dsp/answer-sounds.ts';
import type { AutomaticLevel } from '../dsp/automatic-level.ts';
import type { VoiceActivity } from '../dsp/voice-activity.ts';
import type { JitterBuffer } from '../jitter/jitter-buffer.ts';
import type { StoredPacket } from '../jitter/packet-ring.ts';
import type { LegHearing } from '../mix/hearing-interface.ts';
import type { Seat } from '../mix/resolve-audiences.ts';
import type { Source } from '../mix/source.ts';
import type { Turn } from '../mix/turn.ts';
import type { Latch } from '../rtp/latch.ts';
import type { ReceiverStatistics } from '../rtp/receiver-statistics.ts';
import type { RtpHeader } from '../rtp/rtp-packet.ts';
import type { RtpSender } from '../rtp/rtp-sender.ts';
import type { SrtpCounters } from '../rtp/srtp-receiver.ts';
import type { StreamSource } from '../stream/stream-source.ts';
import type { AgreedMedia } from './commands.ts';
import type { LegKeys, LegProtection } from './leg-protection.ts';
/** The number of codecs whose payloads an audience shares: the stateless ones, which have the lowest indexes. */
export const sharedCodecs = 3;

/** A media leg from `open` to `close`: one RTP stream each way. Every tick reads it, so it is one flat object. */
export interface Leg {
  readonly name: string;
  /** Position in the engine's array of legs; packets are exchanged under it. */
  readonly index: number;
  /** The audio that it sends us, at the rate of its codec. */
  source: Source;
  readonly hearing: LegHearing;
  readonly turn: Turn;
  /** Position in the array of its phase. */
  slot: number;
  /** Its last frame contained concealed samples. */
  isConcealed: boolean;
  /** Estimated work of one turn, in ms; 0 until it is connected. */
  workMs: number;
  /** The next fields belong to one RTP clock rate; another clock rate replaces them. */
  jitter: JitterBuffer;
  received: ReceiverStatistics;
  /** The timestamp up to which its audio was taken; valid while it plays. */
  playedTo: number;
  eventClockRate: number;
  digitsIn: DigitReceiver;
  digitsOut: DigitSender;
  rtp: RtpSender;
  /** Counters of the streams that were replaced. */
  past: PastCounters;
  readonly latch: Latch;
  readonly options: LegOptions;
  /** Open codecs by name and clock rate. Stateful codecs keep their state here. */
  readonly open: Map<string, AudioCodec>;
  /** Undefined until `connect`. */
  agreed: AgreedMedia | undefined;
  sends: boolean;
  listens: boolean;
  codec: AudioCodec;
  codecIndex: number;
  /** Key of the codec in `open`. */
  codecKey: string;
  /** RTP clock units of a sent frame. */
  units: number;
  payloadType: number;
  /** Payload types of sent and received events; −1 where none was agreed on. */
  eventPayloadType: number;
  receiveEventPayloadType: number;
  /** The audio that the other side may send. */
  payloads: readonly ReceivedPayload[];
  /** Codec index and RTP clock units of the last received audio packet. */
  lastCodec: number;
  lastUnits: number;
  /** The relay streams to and from this leg, and since when `relayIn` could have begun. */
  relayIn: LegRelay | undefined;
  relayOut: LegRelay | undefined;
  calmSinceMs: number;
  /** Consecutive frames in which it heard the whole sum of this seat, and whether a shared encoder made its last frame. */
  alikeFrames: number;
  alikeSeat: Seat | undefined;
  isAlike: boolean;
  /** Frames in a packet; ½ for packets of 10 ms. */
  framesPerPacket: number;
  /** Frames that wait for the rest of their packet; empty while a packet has one frame. */
  pending: Uint8Array;
  pendingBytes: number;
  pendingFrames: number;
  /** Whether keys are queued or being sent. */
  pressesKeys: boolean;
  /** Undefined while no capture includes the leg. */
  taps: LegTaps | undefined;
  /** The audio of a virtual leg; undefined for a leg with a phone. */
  streamSource: StreamSource | undefined;
  /** Voice activity and its last reported state; undefined while it is not watched. */
  voice: VoiceActivity | undefined;
  reportedVoice: boolean | undefined;
  /** Undefined while its answer is not watched. */
  answer: AnswerSounds | undefined;
  /** Undefined while its level is not adjusted. */
  level: AutomaticLevel | undefined;
  /** When the last event packet arrived. */
  keyMs: number;
  /** When the last packet of a key was received that went on to the partner as it came; NaN before. */
  keyRelayedMs: number;
  /** The address that signalling named last, and the address that packets are sent to. */
  signalledAddress: string;
  signalledPort: number;
  toAddress: string;
  toPort: number;
  toReportPort: number;
  /** The source of the last packet, and its name for the latch: cached, because nearly all packets share it. */
  fromAddress: string;
  fromPort: number;
  fromName: string;
  heardMs: number;
  silenceReported: boolean;
  reportDueMs: number;
  /** A report was sent, under this SSRC or an earlier one. */
  hasReported: boolean;
  packetsReceived: number;
  bytesReceived: number;
  strangers: number;
  malformed: number;
  /** SRTP; undefined for plain RTP, and while `awaitsKeys`. */
  protection: LegProtection | undefined;
  /** ICE has checked the sources of its packets (RFC 8445): neither the latch nor addresses of signalling matter. */
  isChecked: boolean;
  /** The handshake that agrees on the keys is not over: nothing is sent or accepted. */
  awaitsKeys: boolean;
  readonly keys: LegKeys;
  readonly unprotected: SrtpCounters;
  digitsReceived: number;
  digitsSent: number;
  roundTripMs: number | undefined;
  remoteFractionLost: number | undefined;
}

/** A payload type that the other side may send, with the codec and its index. */
export interface ReceivedPayload {
  readonly payloadType: number;
  readonly codec: AudioCodec;
  readonly codecIndex: number;
}

/** The codec index of a received payload type; −1 where none was agreed on. */
export function codecIndexOf({ payloads }: Leg, payloadType: number): number {
  for (let i = payloads.length - 1; i >= 0; i--)
    if (payloads[i]!.payloadType === payloadType) return payloads[i]!.codecIndex;
  return -1;
}

/** Relays the packets of one leg to another one undecoded; implemented by `RelayStream`. */
export interface LegRelay {
  from: Leg | undefined;
  readonly to: Leg;
  isOpen: boolean;
  readonly passedMs: number;
  turnsWaited: number;
  passWaiting(first: number, packet: StoredPacket): void;
  pass(header: RtpHeader, bytes: Uint8Array, taken: number, nowMs: number): void;
  aheadOfMix(nowMs: number): number;
}

/** Options of a new leg. */
export interface LegOptions {
  readonly name: string;
  readonly index: number;
  readonly source: Source;
  readonly hearing: LegHearing;
  /** Uniform in [0, 2³²). */
  readonly random32: () => number;
  readonly queuedDigits: number;
  readonly maxDelayMs: number;
  /** See LatchOptions. */
  readonly isAdmitted: ((address: string) => boolean) | undefined;
  /** Where its packets are written, as those of all legs. */
  readonly packet: Uint8Array;
  /** Opens a codec for one leg; undefined where this name and clock rate are unknown. */
  readonly openCodec: (
    name: CodecName,
    clockRate: number | undefined,
    parameters: string,
  ) => AudioCodec | undefined;
  /** The source of the leg, with frames of this length. */
  readonly createSource: (frameSamples: number) => Source;
}

/** Counters of streams that were replaced. */
export interface PastCounters {
  packetsSent: number;
  octetsSent: number;
  lost: number;
  concealedFrames: number;
  late: number;
}
