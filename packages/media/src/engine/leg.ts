import type { LegTaps } from '../capture/capture.ts';
import type { AudioCodec } from '../codec/audio-codec.ts';
import { createDigitReceiver, type DigitReceiver } from '../codec/digit-receiver.ts';
import { createDigitSender, type DigitSender } from '../codec/digit-sender.ts';
import { pcma, pcmu } from '../codec/g711.ts';
import type { VoiceActivity } from '../dsp/voice-activity.ts';
import { createJitterBuffer, type JitterBuffer } from '../jitter/jitter-buffer.ts';
import type { Ear } from '../mix/hearing.ts';
import type { Source } from '../mix/source.ts';
import type { Turn } from '../mix/turn.ts';
import { createLatch, type Latch } from '../rtp/latch.ts';
import { createReceiverStatistics, type ReceiverStatistics } from '../rtp/receiver-statistics.ts';
import { createRtpSender, type RtpSender } from '../rtp/rtp-sender.ts';
import type { AgreedMedia, AgreedPayload, LegStatistics } from './commands.ts';
import type { RelayStream } from './relay-stream.ts';

/** The codecs that a leg may speak; their place in this list is their index in an audience's payloads. */
export const legCodecs: readonly AudioCodec[] = [pcmu, pcma];

/** A media leg from `open` to `close`: one RTP stream each way. Touched in every tick, so it has one flat shape. */
export interface Leg {
  readonly name: string;
  /** Its place in the engine, by which packets are handed in and out. */
  readonly index: number;
  readonly source: Source;
  readonly ear: Ear;
  readonly turn: Turn;
  /** Its place among those of its phase. */
  place: number;
  readonly jitter: JitterBuffer;
  readonly received: ReceiverStatistics;
  readonly latch: Latch;
  readonly digitsIn: DigitReceiver;
  readonly digitsOut: DigitSender;
  readonly rtp: RtpSender;
  /** Undefined until `connect`. */
  agreed: AgreedMedia | undefined;
  sends: boolean;
  listens: boolean;
  codec: AudioCodec;
  codecIndex: number;
  payloadType: number;
  /** Under which events go out and come in; −1 where none were agreed on. */
  eventPayloadType: number;
  receiveEventPayloadType: number;
  /** By payload type: the index of the codec that the other side may send under it; −1 where none was agreed on. */
  readonly codecByType: Int8Array;
  /** Codec, by index, and payload bytes of the last audio packet that came. */
  lastCodec: number;
  lastLength: number;
  /** Packets that reach this leg undecoded, and those of its own that go on so; turns in which the former could have begun. */
  relayIn: RelayStream | undefined;
  relayOut: RelayStream | undefined;
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
  /** Undefined while nobody watches it; then also what was told last. */
  voice: VoiceActivity | undefined;
  voiceTold: boolean | undefined;
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
  digitsReceived: number;
  digitsSent: number;
  roundTripMs: number | undefined;
  remoteFractionLost: number | undefined;
}

/** What a new leg is given by its engine. */
export interface LegOptions {
  readonly name: string;
  readonly index: number;
  readonly source: Source;
  readonly ear: Ear;
  readonly frameSamples: number;
  /** Uniform in [0, 2³²). */
  readonly random32: () => number;
  readonly queuedDigits: number;
  readonly maxDelayMs: number;
}

/** A leg that is not connected yet: it neither sends nor listens. */
export function createLeg(options: LegOptions): Leg {
  const { name, index, source, ear, random32 } = options;
  const { clockRate } = pcmu;
  return {
    name,
    index,
    source,
    ear,
    turn: ear.turn,
    place: 0,
    jitter: createJitterBuffer({
      clockRate,
      frameSamples: options.frameSamples,
      payloads: [],
      maxDelayMs: options.maxDelayMs,
    }),
    received: createReceiverStatistics(clockRate),
    latch: createLatch(),
    digitsIn: createDigitReceiver({ clockRate }),
    digitsOut: createDigitSender({ clockRate, maxQueued: options.queuedDigits }),
    rtp: createRtpSender({
      ssrc: random32(),
      // RFC 3550 §5.1: both start at random. The upper half of the sequence numbers is left out, so that no receiver
      // has to tell a wrap from a reordering among the first packets (RFC 3711 §3.3.1 for SRTP).
      sequenceNumber: random32() & 0x7fff,
      timestamp: random32(),
      maxPacketBytes: 1024,
    }),
    agreed: undefined,
    sends: false,
    listens: false,
    codec: pcmu,
    codecIndex: 0,
    payloadType: 0,
    eventPayloadType: -1,
    receiveEventPayloadType: -1,
    codecByType: new Int8Array(128).fill(-1),
    lastCodec: -1,
    lastLength: 0,
    relayIn: undefined,
    relayOut: undefined,
    calmTurns: 0,
    framesPerPacket: 1,
    pending: new Uint8Array(options.frameSamples * 3),
    pendingBytes: 0,
    pendingFrames: 0,
    pressesKeys: false,
    taps: undefined,
    voice: undefined,
    voiceTold: undefined,
    keyMs: Number.NEGATIVE_INFINITY,
    signalledAddress: '',
    signalledPort: 0,
    toAddress: '',
    toPort: 0,
    toReportPort: 0,
    fromAddress: '',
    fromPort: 0,
    fromName: '',
    heardMs: 0,
    silenceTold: false,
    reportDueMs: Number.POSITIVE_INFINITY,
    packetsReceived: 0,
    bytesReceived: 0,
    strangers: 0,
    malformed: 0,
    digitsReceived: 0,
    digitsSent: 0,
    roundTripMs: undefined,
    remoteFractionLost: undefined,
  };
}

/** Takes over what was agreed on, for the first time or anew; sequence numbers, timestamps and the jitter buffer run on. */
export function connectLeg(leg: Leg, agreed: AgreedMedia, nowMs: number): void {
  leg.agreed = agreed;
  const listened = leg.listens;
  const conversed = listened && leg.sends;
  leg.sends = agreed.direction === 'sendrecv' || agreed.direction === 'sendonly';
  leg.listens = agreed.direction === 'sendrecv' || agreed.direction === 'recvonly';
  leg.codecIndex = codecIndexOf(agreed);
  leg.codec = legCodecs[leg.codecIndex]!;
  leg.payloadType = agreed.payloadType;
  leg.eventPayloadType = agreed.telephoneEventPayloadType ?? -1;
  if (leg.eventPayloadType < 0) {
    leg.digitsOut.clear();
    leg.pressesKeys = false;
  }
  leg.framesPerPacket =
    agreed.ptimeMs <= 10 ? 0.5 : Math.max(1, Math.min(3, Math.round(agreed.ptimeMs / 20)));
  // What waits for the rest of its packet was encoded for the old codec or the old size: its time passes all the same.
  if (leg.pendingFrames > 0) leg.rtp.skip(leg.pendingFrames * leg.source.frame.length);
  leg.pendingBytes = 0;
  leg.pendingFrames = 0;
  expect(leg, agreed);
  // RFC 3264 §8.4: an address that names nobody is a hold of RFC 2543; the one before comes back with its end.
  if (!namesNobody(agreed.address)) {
    if (leg.signalledAddress !== agreed.address || leg.signalledPort !== agreed.port) {
      leg.latch.arm(`${agreed.address}:${agreed.port}`, nowMs);
      leg.signalledAddress = agreed.address;
      leg.signalledPort = agreed.port;
      leg.toAddress = agreed.address;
      leg.toPort = agreed.port;
    }
    leg.toReportPort = agreed.rtcpPort ?? agreed.port + 1;
  }
  if (leg.listens && !listened) {
    leg.jitter.reset();
  }
  if (leg.listens && leg.sends && !conversed) {
    leg.heardMs = nowMs;
    leg.silenceTold = false;
  }
  if (!leg.listens) leg.source.active = false;
}

function namesNobody(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address.endsWith('.invalid');
}

/** RFC 3264 §5.1: the other side may send any of these, and change between them from packet to packet. */
function expect(leg: Leg, agreed: AgreedMedia): void {
  const receive = agreed.receive ?? [agreed];
  leg.jitter.setPayloads(
    receive.map((payload) => ({
      payloadType: payload.payloadType,
      codec: legCodecs[codecIndexOf(payload)]!,
    })),
  );
  leg.codecByType.fill(-1);
  for (const payload of receive) leg.codecByType[payload.payloadType] = codecIndexOf(payload);
  leg.receiveEventPayloadType =
    agreed.receiveTelephoneEventPayloadType ?? agreed.telephoneEventPayloadType ?? -1;
}

function codecIndexOf({ codec }: AgreedPayload): number {
  return codec === 'PCMA' ? 1 : 0;
}

/** The counters of the leg as they stand. */
export function statisticsOf(leg: Leg): LegStatistics {
  const { counters } = leg.jitter;
  return {
    packetsReceived: leg.packetsReceived,
    bytesReceived: leg.bytesReceived,
    packetsSent: leg.rtp.packetsSent,
    bytesSent: leg.rtp.octetsSent,
    packetsLost: counters.lost,
    jitterMs: leg.received.jitterMs,
    framesConcealed: counters.concealedFrames,
    packetsLate: counters.late,
    strangersDropped: leg.strangers + leg.latch.counters.foreign,
    malformedDropped: leg.malformed,
    digitsReceived: leg.digitsReceived,
    digitsSent: leg.digitsSent,
    ...(leg.roundTripMs === undefined ? {} : { roundTripMs: leg.roundTripMs }),
    ...(leg.remoteFractionLost === undefined ? {} : { remoteFractionLost: leg.remoteFractionLost }),
  };
}
