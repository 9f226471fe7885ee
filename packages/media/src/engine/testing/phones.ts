import type { AudioCodec } from '../../codec/audio-codec.ts';
import { codecFor } from '../../codec/codec-for.ts';
import { createRtpHeader, readRtpPacket } from '../../rtp/rtp-packet.ts';
import { createRtpSender } from '../../rtp/rtp-sender.ts';
import type { AgreedMedia, AgreedPayload, MediaNotice } from '../commands.ts';
import type { MediaEngine, MediaEngineDeps } from '../engine-interface.ts';
import { createMediaEngine } from '../media-engine.ts';

/** A phone on a perfect line to an engine: it sends one tone and keeps the audio that it receives. */
export interface TonePhone {
  readonly leg: string;
  readonly index: number;
  /** 0 is silence, which is sent in packets too. */
  frequencyHz: number;
  amplitude: number;
  /** The codec that it sends: that of its first agreement until a test changes it. */
  speaks: AgreedPayload;
  /** Whether it sends at all. */
  sending: boolean;
  readonly heard: Int16Array;
  heardCount: number;
  /** Received RTP packets, and the events among them. */
  packets: number;
  readonly events: number[];
  markers: number;
  /** Timestamps and sequence numbers that are not consecutive. */
  breaks: number;
  /** Sends these bytes, from another port when given. */
  sendRaw(bytes: Uint8Array, port?: number): void;
  /** Sends one packet with this payload. */
  sendPayload(payloadType: number, payload: Uint8Array): void;
}

const address = '192.0.2.1';
const portOf = ({ index }: Pick<TonePhone, 'index'>): number => 20_000 + 2 * index;

/** What a phone of the rig has agreed on, with changes. */
export function agreedWith(phone: Pick<TonePhone, 'index'>, changes: Partial<AgreedMedia>): AgreedMedia {
  return {
    address,
    port: portOf(phone),
    codec: 'PCMU',
    payloadType: 0,
    telephoneEventPayloadType: 101,
    direction: 'sendrecv',
    ptimeMs: 20,
    ...changes,
  };
}

/** An engine, its phones and their clock. */
export interface EngineRig {
  readonly engine: MediaEngine;
  readonly notices: MediaNotice[];
  readonly reports: { readonly leg: number; readonly bytes: Uint8Array; readonly address: string }[];
  nowMs(): number;
  /** Opens and connects a leg; the phone sends at once. */
  phone(leg: string, frequencyHz: number, agreed?: Partial<AgreedMedia>): TonePhone;
  hangUp(phone: TonePhone): ReturnType<MediaEngine['closeLeg']>;
  /**
   * Advances time in steps of 20 ms: phones send 7 ms before each tick. With phases, the phone of leg n sends 1 + 6n ms
   * (modulo 20) after the start of each 20 ms.
   */
  run(frames: number): void;
  /** The last `frames` × 20 ms that the phone received. */
  lastHeard(phone: TonePhone, frames: number): Int16Array;
  /** Advances time by this many frames without ticks, see MediaEngine. */
  rest(frames: number): void;
  /** Advances time by 20 ms: phones send, but the test runs the tick. */
  talk(): void;
}

/** An engine and phones on a virtual clock. */
export function createEngineRig(options: Partial<MediaEngineDeps> = {}): EngineRig {
  let now = 1_700_000_000_000;
  let seed = 1;
  const random = (): number => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const phones = new Map<number, LivePhone>();
  const notices: MediaNotice[] = [];
  const reports: { leg: number; bytes: Uint8Array; address: string }[] = [];
  const engine = createMediaEngine({
    send: (leg, bytes, length) => phones.get(leg)?.take(bytes, length),
    sendReport: (leg, bytes, length, address) =>
      reports.push({ leg, bytes: bytes.slice(0, length), address }),
    notify: (notice) => notices.push(notice),
    random,
    cname: 'rig',
    ...options,
  });
  const { phases = 1 } = options;
  const talkInSteps = (): void => {
    const startMs = now;
    for (let step = 0; step < phases; step++) {
      const endMs = startMs + ((step + 1) * 20) / phases;
      for (const phone of phones.values()) {
        const atMs = startMs + ((1 + 6 * phone.index) % 20);
        if (atMs < now || atMs >= endMs) continue;
        now = atMs;
        phone.talk();
        now = endMs - 20 / phases;
      }
      now = endMs;
      engine.tick(now);
    }
  };
  const talk = (): void => {
    now += 13;
    for (const phone of phones.values()) phone.talk();
    now += 7;
  };

  return {
    engine,
    notices,
    reports,
    nowMs: () => now,
    rest(frames) {
      now += frames * 20;
      engine.rest(frames);
    },
    talk,
    phone(leg, frequencyHz, overrides = {}) {
      const { phone, agreed } = openTonePhone(engine, () => now, leg, frequencyHz, overrides);
      phones.set(phone.index, phone);
      engine.connectLeg(leg, agreed, now);
      return phone;
    },
    hangUp(phone) {
      phones.delete(phone.index);
      return engine.closeLeg(phone.leg, now);
    },
    run(frames) {
      for (let frame = 0; frame < frames; frame++) {
        if (phases === 1) {
          talk();
          engine.tick(now);
        } else talkInSteps();
      }
    },
    lastHeard: (phone, frames) => phone.heard.subarray(phone.heardCount - frames * 160, phone.heardCount),
  };
}

interface LivePhone extends TonePhone {
  talk(): void;
  take(bytes: Uint8Array, length: number): void;
}

/** Opens the leg; the rig connects it. */
function openTonePhone(
  engine: MediaEngine,
  nowMs: () => number,
  leg: string,
  frequencyHz: number,
  overrides: Partial<AgreedMedia>,
): { readonly phone: LivePhone; readonly agreed: AgreedMedia } {
  const index = engine.openLeg(leg);
  if (index === undefined) throw new Error(`leg ${leg} cannot be opened`);
  const port = portOf({ index });
  const payloadType = overrides.codec === 'PCMA' ? 8 : 0;
  const agreed = agreedWith({ index }, { payloadType, ...overrides });
  const codec: AudioCodec = codecFor(agreed.codec)!;
  const rtp = createRtpSender({ ssrc: index + 1, sequenceNumber: 65_000, timestamp: 4_294_900_000 });
  const header = createRtpHeader();
  const frame = new Int16Array(160);
  let position = 0;
  let nextSequence = -1;
  let nextTimestamp = -1;
  const phone = {
    leg,
    index,
    frequencyHz,
    amplitude: 0.25,
    speaks: { payloadType: agreed.payloadType, codec: agreed.codec },
    sending: true,
    heard: new Int16Array(8000 * 40),
    heardCount: 0,
    packets: 0,
    events: [] as number[],
    markers: 0,
    breaks: 0,
    sendRaw: (bytes: Uint8Array, from = port) =>
      engine.receive(index, bytes, bytes.length, address, from, nowMs()),
    sendPayload(payloadType: number, payload: Uint8Array) {
      const length = rtp.writePayload(payloadType, payload, 0, payload.length, 0);
      engine.receive(index, rtp.packet, length, address, port, nowMs());
    },
    talk() {
      if (!phone.sending) return;
      for (let i = 0; i < 160; i++, position++) {
        frame[i] = Math.round(
          phone.amplitude * 32767 * Math.sin((2 * Math.PI * phone.frequencyHz * position) / 8000),
        );
      }
      const { codec: name, payloadType } = phone.speaks;
      const length = rtp.writeAudio(codecFor(name)!, payloadType, frame, 160);
      engine.receive(index, rtp.packet, length, address, port, nowMs());
    },
    take(bytes: Uint8Array, length: number) {
      if (!readRtpPacket(bytes, length, header)) throw new Error('a sent packet is not RTP');
      phone.packets++;
      if (header.marker) phone.markers++;
      if (nextSequence >= 0 && header.sequenceNumber !== nextSequence) phone.breaks++;
      nextSequence = (header.sequenceNumber + 1) & 0xffff;
      if (header.payloadType === agreed.telephoneEventPayloadType) {
        phone.events.push(bytes[header.payloadOffset]!);
        nextTimestamp = -1;
        return;
      }
      if (nextTimestamp >= 0 && header.timestamp !== nextTimestamp) phone.breaks++;
      nextTimestamp = (header.timestamp + header.payloadLength) >>> 0;
      codec.decode(bytes, header.payloadOffset, header.payloadLength, phone.heard, phone.heardCount);
      phone.heardCount += header.payloadLength;
    },
  };
  return { phone, agreed };
}
