import type { LegTaps } from '../capture/capture.ts';
import type { AudioCodec, CodecName } from '../codec/audio-codec.ts';
import type { DigitReceiver } from '../codec/digit-receiver.ts';
import type { DigitSender } from '../codec/digit-sender.ts';
import type { AutomaticLevel } from '../dsp/automatic-level.ts';
import type { VoiceActivity } from '../dsp/voice-activity.ts';
import type { JitterBuffer } from '../jitter/jitter-buffer.ts';
import type { StoredPacket } from '../jitter/packet-ring.ts';
import type { Ear } from '../mix/hearing.ts';
import type { Source } from '../mix/source.ts';
import type { Turn } from '../mix/turn.ts';
import type { Latch } from '../rtp/latch.ts';
import type { ReceiverStatistics } from '../rtp/receiver-statistics.ts';
import type { RtpHeader } from '../rtp/rtp-packet.ts';
import type { RtpSender } from '../rtp/rtp-sender.ts';
import type { SrtpCounters } from '../rtp/srtp-receiver.ts';
import type { Feed } from '../stream/feed.ts';
import type { AgreedMedia } from './commands.ts';
import type { LegKeys, LegProtection } from './leg-protection.ts';
/** Of so many of them, the first ones, an audience keeps payloads for all of its listeners. */
export const sharedCodecs = 3;

/** A media leg from `open` to `close`: one RTP stream each way. Touched in every tick, so it has one flat shape. */
export interface Leg {
  readonly name: string;
  /** Its place in the engine, by which packets are handed in and out. */
  readonly index: number;
  /** What it says, at the rate of what it receives. */
  source: Source;
  readonly ear: Ear;
  readonly turn: Turn;
  /** Its place among those of its phase. */
  place: number;
  /** Its last frame was not all of packets. */
  isMadeUp: boolean;
  /** What one turn of it takes, in ms; 0 until it is connected. */
  workMs: number;
  /** These run on one RTP clock; with another one they begin anew. */
  jitter: JitterBuffer;
  received: ReceiverStatistics;
  eventClockRate: number;
  digitsIn: DigitReceiver;
  digitsOut: DigitSender;
  rtp: RtpSender;
  /** What the ones before have counted. */
  past: PastCounters;
  readonly latch: Latch;
  readonly options: LegOptions;
  /** Codecs in use, by name and clock rate: those that remember have their memory here. */
  readonly open: Map<string, AudioCodec>;
  /** Undefined until `connect`. */
  agreed: AgreedMedia | undefined;
  sends: boolean;
  listens: boolean;
  codec: AudioCodec;
  codecIndex: number;
  /** Its name in `open`. */
  codecKey: string;
  /** RTP clock units of a frame that is sent. */
  units: number;
  payloadType: number;
  /** Under which events go out and come in; −1 where none were agreed on. */
  eventPayloadType: number;
  receiveEventPayloadType: number;
  /** By payload type: the index of the codec that the other side may send under it; −1 where none was agreed on. */
  readonly codecByType: Int8Array;
  /** Codec, by index, and RTP clock units of the last audio packet that came. */
  lastCodec: number;
  lastUnits: number;
  /** Packets that reach this leg undecoded, and those of its own that go on so; turns in which the former could have begun. */
  relayIn: LegRelay | undefined;
  relayOut: LegRelay | undefined;
  calmTurns: number;
  /** Frames that go into a packet; ½ for packets of 10 ms. */
  framesPerPacket: number;
  readonly pending: Uint8Array;
  pendingBytes: number;
  pendingFrames: number;
  /** Whether keys wait to be sent or are being sent. */
  pressesKeys: boolean;
  /** Undefined while nobody captures it. */
  taps: LegTaps | undefined;
  /** What a leg without a phone says; undefined for all others. */
  feed: Feed | undefined;
  /** Undefined while nobody watches it; then also what was told last. */
  voice: VoiceActivity | undefined;
  voiceTold: boolean | undefined;
  /** Undefined while what it says is heard as it is. */
  level: AutomaticLevel | undefined;
  /** When the last packet of a key came. */
  keyMs: number;
  /** What signalling named last, and where packets really go. */
  signalledAddress: string;
  signalledPort: number;
  toAddress: string;
  toPort: number;
  toReportPort: number;
  /** The sender of the last packet and its name for the latch: one string for thousands of packets. */
  fromAddress: string;
  fromPort: number;
  fromName: string;
  heardMs: number;
  silenceTold: boolean;
  reportDueMs: number;
  packetsReceived: number;
  bytesReceived: number;
  strangers: number;
  malformed: number;
  /** SRTP; undefined while media goes in the clear. */
  protection: LegProtection | undefined;
  readonly keys: LegKeys;
  readonly unprotected: SrtpCounters;
  digitsReceived: number;
  digitsSent: number;
  roundTripMs: number | undefined;
  remoteFractionLost: number | undefined;
}

/** The packets of one leg on their way to another one undecoded; `RelayStream` is its one form. */
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

/** What a new leg is given by its engine. */
export interface LegOptions {
  readonly name: string;
  readonly index: number;
  readonly source: Source;
  readonly ear: Ear;
  /** Uniform in [0, 2³²). */
  readonly random32: () => number;
  readonly queuedDigits: number;
  readonly maxDelayMs: number;
  /** See LatchOptions. */
  readonly isAdmitted?: (address: string) => boolean;
  /** A codec for one leg; undefined where there is none of this name and clock rate. */
  readonly openCodec: (
    name: CodecName,
    clockRate: number | undefined,
    parameters: string,
  ) => AudioCodec | undefined;
  /** What the leg says, in frames of so many samples. */
  readonly createSource: (frameSamples: number) => Source;
}

interface PastCounters {
  packetsSent: number;
  octetsSent: number;
  lost: number;
  concealedFrames: number;
  late: number;
}
