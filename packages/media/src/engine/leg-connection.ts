import type { AudioCodec, CodecName } from '../codec/audio-codec.ts';
import { createDigitReceiver } from '../codec/digit-receiver.ts';
import { createDigitSender } from '../codec/digit-sender.ts';
import { pcmu } from '../codec/g711.ts';
import { createJitterBuffer } from '../jitter/create-jitter-buffer.ts';
import { createLatch } from '../rtp/latch.ts';
import { createReceiverStatistics } from '../rtp/receiver-statistics.ts';
import { createRtpSender, longestPayload } from '../rtp/rtp-sender.ts';
import { createSrtpCounters } from '../rtp/srtp-receiver.ts';
import { allocateBytes } from '../samples/sample-memory.ts';
import type { AgreedMedia, AgreedPayload } from './commands.ts';
import type { Leg, LegOptions, ReceivedPayload } from './leg.ts';
import { closeKeys, createLegKeys } from './leg-protection.ts';

/** The codecs of legs; the position is the codec's index. */
const codecNames: readonly CodecName[] = ['PCMU', 'PCMA', 'L16', 'G722', 'opus'];

const noBytes = new Uint8Array(0);

/** A leg that is not connected yet: it neither sends nor receives. */
export function createLeg(options: LegOptions): Leg {
  const { name, index, source, hearing } = options;
  const { jitter, received, eventClockRate, digitsIn, digitsOut, rtp } = createStreams(options, pcmu);
  // No spread: V8 would define each property that follows it at run time, which took most of the time to open a leg.
  return {
    name,
    index,
    source,
    hearing,
    turn: hearing.turn,
    slot: 0,
    isConcealed: false,
    workMs: 0,
    jitter,
    received,
    eventClockRate,
    digitsIn,
    digitsOut,
    rtp,
    playedTo: 0,
    past: { packetsSent: 0, octetsSent: 0, lost: 0, concealedFrames: 0, late: 0 },
    latch: createLatch({ isAdmitted: options.isAdmitted }),
    options,
    open: new Map(),
    agreed: undefined,
    sends: false,
    listens: false,
    codec: pcmu,
    codecIndex: 0,
    codecKey: '',
    units: 160,
    payloadType: 0,
    eventPayloadType: -1,
    receiveEventPayloadType: -1,
    payloads: [],
    lastCodec: -1,
    lastUnits: 0,
    relayIn: undefined,
    relayOut: undefined,
    calmSinceMs: Number.POSITIVE_INFINITY,
    alikeFrames: 0,
    alikeSeat: undefined,
    isAlike: false,
    framesPerPacket: 1,
    pending: noBytes,
    pendingBytes: 0,
    pendingFrames: 0,
    pressesKeys: false,
    taps: undefined,
    streamSource: undefined,
    voice: undefined,
    reportedVoice: undefined,
    answer: undefined,
    level: undefined,
    keyMs: Number.NEGATIVE_INFINITY,
    keyRelayedMs: Number.NaN,
    signalledAddress: '',
    signalledPort: 0,
    toAddress: '',
    toPort: 0,
    toReportPort: 0,
    fromAddress: '',
    fromPort: 0,
    fromName: '',
    heardMs: 0,
    silenceReported: false,
    reportDueMs: Number.POSITIVE_INFINITY,
    hasReported: false,
    packetsReceived: 0,
    bytesReceived: 0,
    strangers: 0,
    malformed: 0,
    protection: undefined,
    isChecked: false,
    awaitsKeys: false,
    keys: createLegKeys(),
    unprotected: createSrtpCounters(),
    digitsReceived: 0,
    digitsSent: 0,
    roundTripMs: undefined,
    remoteFractionLost: undefined,
  };
}

/** The state that belongs to the RTP clock of a codec, both ways. */
function createStreams({ random32, maxDelayMs, queuedDigits, packet }: LegOptions, codec: AudioCodec) {
  const { clockRate, sampleRate, frameSamples } = codec;
  const { eventClockRate, digitsIn, digitsOut } = createDigits(clockRate, queuedDigits);
  return {
    jitter: createJitterBuffer({
      clockRate,
      sampleRate,
      frameSamples,
      payloads: [],
      maxDelayMs,
    }),
    received: createReceiverStatistics(clockRate),
    eventClockRate,
    digitsIn,
    digitsOut,
    rtp: createRtpSender({
      ssrc: random32(),
      // RFC 3550 §5.1: both start at random. Sequence numbers start in the lower half, so that no receiver mistakes a
      // reordering among the first packets for a wrap (RFC 3711 §3.3.1 for SRTP).
      sequenceNumber: random32() & 0x7fff,
      timestamp: random32(),
      packet,
    }),
  };
}

function createDigits(clockRate: number, maxQueued: number) {
  return {
    eventClockRate: clockRate,
    digitsIn: createDigitReceiver({ clockRate }),
    digitsOut: createDigitSender({ clockRate, maxQueued }),
  };
}

/** The codec of a payload: the same instance for the same name while the leg needs it. */
function codecOf(
  leg: Leg,
  { codec, clockRate }: Pick<AgreedPayload, 'codec' | 'clockRate'>,
  parameters: string,
): AudioCodec | undefined {
  const key = keyOf(codec, clockRate);
  const open = leg.open.get(key) ?? leg.options.openCodec(codec, clockRate, parameters);
  if (open !== undefined) leg.open.set(key, open);
  return open;
}

function keyOf(codec: CodecName, clockRate: number | undefined): string {
  return clockRate === undefined ? codec : `${codec}/${clockRate}`;
}

/** Whether the leg has the agreed codec. */
export function canSpeak(leg: Leg, agreed: AgreedMedia): boolean {
  return codecOf(leg, agreed, agreed.parameters ?? '') !== undefined;
}

/** Whether this agreement changes the RTP clock rate, so that our stream starts anew. */
export function changesClock(leg: Leg, agreed: AgreedMedia): boolean {
  return codecOf(leg, agreed, agreed.parameters ?? '')!.clockRate !== leg.codec.clockRate;
}

/**
 * Applies an agreement, first or later. Sequence numbers, timestamps and the jitter buffer continue. A codec with
 * another clock rate starts a new stream under a new SSRC (RFC 7160 §4.1).
 */
export function connectLeg(leg: Leg, agreed: AgreedMedia, nowMs: number): void {
  leg.agreed = agreed;
  const listened = leg.listens;
  const conversed = listened && leg.sends;
  leg.sends = !leg.awaitsKeys && sendsBy(agreed);
  leg.listens = agreed.direction === 'sendrecv' || agreed.direction === 'recvonly';
  changeCodec(leg, agreed);
  leg.payloadType = agreed.payloadType;
  leg.eventPayloadType = agreed.telephoneEventPayloadType ?? -1;
  const eventClockRate = agreed.telephoneEventClockRate ?? leg.codec.clockRate;
  if (eventClockRate !== leg.eventClockRate) {
    Object.assign(leg, createDigits(eventClockRate, leg.options.queuedDigits));
    leg.pressesKeys = false;
  }
  if (leg.eventPayloadType < 0) {
    leg.digitsOut.clear();
    leg.pressesKeys = false;
  }
  leg.framesPerPacket = packetFrames(leg.codec, agreed.ptimeMs);
  if (leg.framesPerPacket > 1 && leg.pending === noBytes) leg.pending = allocateBytes(longestPayload);
  expect(leg, agreed);
  // RFC 3264 §8.4: an unspecified address is a hold as in RFC 2543; the earlier address stays for the end of the hold.
  if (leg.isChecked || !isNoAddress(agreed.address)) {
    leg.latch.arm(agreed, nowMs);
    if (leg.signalledAddress !== agreed.address || leg.signalledPort !== agreed.port) {
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
    leg.silenceReported = false;
  }
  if (!leg.listens) leg.source.active = false;
}

function changeCodec(leg: Leg, agreed: AgreedMedia): void {
  // Frames that wait for the rest of their packet are in the old codec or size: drop them, but count their time.
  if (leg.pendingFrames > 0) leg.rtp.skip(leg.pendingFrames * leg.units);
  leg.pendingBytes = 0;
  leg.pendingFrames = 0;
  const before = leg.codec;
  const codec = codecOf(leg, agreed, agreed.parameters ?? '')!;
  leg.codec = codec;
  leg.codecIndex = codecNames.indexOf(agreed.codec);
  leg.codecKey = keyOf(agreed.codec, agreed.clockRate);
  leg.units = codec.clockRate / 50;
  if (before.clockRate === codec.clockRate && before.sampleRate === codec.sampleRate) return;
  const { past, jitter, rtp } = leg;
  past.lost += jitter.counters.lost;
  past.concealedFrames += jitter.counters.concealedFrames;
  past.late += jitter.counters.late;
  const streams = createStreams(leg.options, codec);
  leg.jitter = streams.jitter;
  if (before.sampleRate !== codec.sampleRate) leg.source = leg.options.createSource(codec.frameSamples);
  if (before.clockRate === codec.clockRate) return;
  past.packetsSent += rtp.packetsSent;
  past.octetsSent += rtp.octetsSent;
  Object.assign(leg, streams);
  leg.pressesKeys = false;
}

/** Frames in a packet: not more than fit in this length, which may be a maxptime (RFC 8866 §6.4). ½ for 10 ms, 1 for codecs whose frames cannot be joined. */
function packetFrames({ frameBytes }: AudioCodec, ptimeMs: number): number {
  if (frameBytes === 0) return 1;
  if (ptimeMs <= 10 || frameBytes > longestPayload) return 0.5;
  return Math.max(1, Math.min(3, Math.floor(ptimeMs / 20), Math.floor(longestPayload / frameBytes)));
}

/** Whether we send by this agreement. */
export function sendsBy({ direction }: AgreedMedia): boolean {
  return direction === 'sendrecv' || direction === 'sendonly';
}

function isNoAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address.endsWith('.invalid');
}

/** RFC 3264 §5.1: the other side may send any of these, and may change with each packet. */
function expect(leg: Leg, agreed: AgreedMedia): void {
  const { clockRate, sampleRate } = leg.codec;
  const payloads: ReceivedPayload[] = [];
  const inUse = [keyOf(agreed.codec, agreed.clockRate)];
  for (const payload of agreed.receive ?? [agreed]) {
    const codec = codecOf(leg, payload, agreed.parameters ?? '');
    // The jitter buffer has one clock rate, and so have the payloads of our answers.
    if (codec?.clockRate !== clockRate || codec.sampleRate !== sampleRate) continue;
    const codecIndex = codecNames.indexOf(payload.codec);
    payloads.push({ payloadType: payload.payloadType, codec, codecIndex });
    inUse.push(keyOf(payload.codec, payload.clockRate));
  }
  leg.payloads = payloads;
  leg.jitter.setPayloads(payloads);
  for (const [key, codec] of leg.open) {
    if (inUse.includes(key)) continue;
    codec.close?.();
    leg.open.delete(key);
  }
  leg.receiveEventPayloadType =
    agreed.receiveTelephoneEventPayloadType ?? agreed.telephoneEventPayloadType ?? -1;
}

/** Frees the codecs and the keys: the leg ends. */
export function freeLeg(leg: Leg): void {
  closeKeys(leg.keys);
  for (const codec of leg.open.values()) codec.close?.();
  leg.open.clear();
}
