import { createRtpHeader, readRtpPacket } from '../../rtp/rtp-packet.ts';
import { createRtpSender } from '../../rtp/rtp-sender.ts';
import type { AgreedMedia, MediaNotice } from '../commands.ts';
import type { MediaEngine, MediaEngineDeps } from '../engine-interface.ts';
import { createMediaEngine } from '../media-engine.ts';

/** An RTP packet that a phone received. */
export interface HeardPacket {
  readonly atMs: number;
  readonly ssrc: number;
  readonly sequenceNumber: number;
  readonly timestamp: number;
  readonly marker: boolean;
  readonly payloadType: number;
  readonly payload: Uint8Array;
}

/**
 * A phone that sends a different payload in each packet, so that each is recognisable. It keeps the packets that it
 * receives.
 */
export interface PacketPhone {
  readonly leg: string;
  readonly index: number;
  readonly agreed: AgreedMedia;
  readonly ssrc: number;
  /** When each of its packets was sent, by number. */
  readonly sentMs: number[];
  readonly heard: HeardPacket[];
  sending: boolean;
  /** Delay of the n-th packet in ms; undefined for a lost packet. */
  fate: (packet: number) => number | undefined;
  /** The payload of the n-th packet. It lacks the byte 0x7f, which decoding and encoding do not preserve. */
  payloadOf(packet: number): Uint8Array;
  /** Sends an event packet in place of the next audio packet. */
  press(payload: Uint8Array, marker: boolean): void;
  /** Sends these bytes, from another port when given. */
  sendRaw(bytes: Uint8Array, port?: number): void;
}

/** An engine on a virtual clock, with its phones. */
export interface PacketRig {
  readonly engine: MediaEngine;
  readonly notices: MediaNotice[];
  readonly reports: Uint8Array[];
  nowMs(): number;
  /** Opens and connects a leg; its packets arrive `offsetMs` after multiples of 20 ms. */
  phone(leg: string, offsetMs: number, agreed?: Partial<AgreedMedia>): PacketPhone;
  hangUp(phone: PacketPhone): ReturnType<MediaEngine['closeLeg']>;
  run(ms: number): void;
}

/** Creates the rig with a new engine. */
export function createPacketRig(options: Partial<MediaEngineDeps> = {}): PacketRig {
  const { phases = 1 } = options;
  const startMs = 1_700_000_000_000;
  let now = startMs;
  let seed = 1;
  const random = (): number => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const phones = new Map<number, LivePhone>();
  const notices: MediaNotice[] = [];
  const reports: Uint8Array[] = [];
  const events: { atMs: number; run(): void }[] = [];
  const at = (atMs: number, run: () => void): void => {
    events.push({ atMs, run });
  };
  const engine = createMediaEngine({
    send: (leg, bytes, length) => phones.get(leg)?.take(bytes, length),
    sendReport: (_leg, bytes, length) => reports.push(bytes.slice(0, length)),
    notify: (notice) => notices.push(notice),
    random,
    cname: 'rig',
    ...options,
  });
  const tick = (): void => {
    engine.tick(now);
    at(now + 20 / phases, tick);
  };
  at(now + 20 / phases, tick);

  return {
    engine,
    notices,
    reports,
    nowMs: () => now,
    phone(leg, offsetMs, overrides = {}) {
      const { phone, talk } = openPacketPhone({ engine, nowMs: () => now, at }, leg, overrides);
      phones.set(phone.index, phone);
      const elapsed = (now - startMs) % 20;
      at(now + ((offsetMs - elapsed + 20) % 20), talk);
      engine.connectLeg(leg, phone.agreed, now);
      return phone;
    },
    hangUp(phone) {
      const live = phones.get(phone.index);
      if (live !== undefined) live.isOver = true;
      phones.delete(phone.index);
      return engine.closeLeg(phone.leg, now);
    },
    run(ms) {
      const endMs = now + ms;
      for (;;) {
        let next = -1;
        for (let e = 0; e < events.length; e++) {
          const { atMs } = events[e]!;
          if (atMs <= endMs && (next < 0 || atMs < events[next]!.atMs)) next = e;
        }
        if (next < 0) break;
        const [event] = events.splice(next, 1);
        now = event!.atMs;
        event!.run();
      }
      now = endMs;
    },
  };
}

interface LivePhone extends PacketPhone {
  isOver: boolean;
  take(bytes: Uint8Array, length: number): void;
}

/** The engine of a rig with its clock and its queue of events. */
interface PhoneLine {
  readonly engine: MediaEngine;
  nowMs(): number;
  at(atMs: number, run: () => void): void;
}

/** Opens the leg; the rig connects it and starts to talk. */
function openPacketPhone(
  { engine, nowMs, at }: PhoneLine,
  leg: string,
  overrides: Partial<AgreedMedia>,
): { readonly phone: LivePhone; talk(): void } {
  const index = engine.openLeg(leg)!;
  const address = '192.0.2.1';
  const port = 20_000 + 2 * index;
  const agreed: AgreedMedia = {
    address,
    port,
    codec: 'PCMU',
    payloadType: 0,
    telephoneEventPayloadType: 101,
    direction: 'sendrecv',
    ptimeMs: 20,
    ...overrides,
  };
  const ssrc = 1000 + index;
  const rtp = createRtpSender({ ssrc, sequenceNumber: 65_400, timestamp: 4_294_900_000 });
  const header = createRtpHeader();
  const size = agreed.ptimeMs * 8;
  const pressed: { payload: Uint8Array; marker: boolean }[] = [];
  const phone = {
    leg,
    index,
    agreed,
    ssrc,
    sentMs: [] as number[],
    heard: [] as HeardPacket[],
    sending: true,
    isOver: false,
    fate: (_packet: number): number | undefined => 0,
    payloadOf(packet: number): Uint8Array {
      let state = (packet + 1) * 7919 + index * 104_729;
      return Uint8Array.from({ length: size }, () => {
        state = (state * 48_271) % 2147483647;
        const byte = state & 0xff;
        return byte === 0x7f ? 0x11 : byte;
      });
    },
    press(payload: Uint8Array, marker: boolean) {
      pressed.push({ payload, marker });
    },
    sendRaw: (bytes: Uint8Array, from = port) =>
      engine.receive(index, bytes, bytes.length, address, from, nowMs()),
    take(bytes: Uint8Array, length: number) {
      if (!readRtpPacket(bytes, length, header)) throw new Error('a sent packet is not RTP');
      const { sequenceNumber, timestamp, marker, payloadType, payloadOffset, payloadLength } = header;
      const payload = bytes.slice(payloadOffset, payloadOffset + payloadLength);
      phone.heard.push({
        atMs: nowMs(),
        ssrc: header.ssrc,
        sequenceNumber,
        timestamp,
        marker,
        payloadType,
        payload,
      });
    },
  };
  const talk = (): void => {
    if (phone.isOver) return;
    at(nowMs() + agreed.ptimeMs, talk);
    const key = pressed.shift();
    if (!phone.sending) {
      rtp.skip(size);
      return;
    }
    let length: number;
    let lateMs: number | undefined = 0;
    if (key === undefined) {
      const packet = phone.sentMs.push(nowMs()) - 1;
      length = rtp.writePayload(agreed.payloadType, phone.payloadOf(packet), 0, size, size);
      lateMs = phone.fate(packet);
    } else {
      const [event, flags, high, low] = key.payload as unknown as [number, number, number, number];
      const duration = (high << 8) | low;
      const report = { event, end: (flags & 0x80) !== 0, volume: flags & 0x3f, duration };
      // All packets of an event share the timestamp of its start.
      length = rtp.writeEvent(101, report, rtp.timestamp - duration + size, key.marker);
      rtp.skip(size);
    }
    if (lateMs === undefined) return;
    const bytes = rtp.packet.slice(0, length);
    if (lateMs === 0) phone.sendRaw(bytes);
    else at(nowMs() + lateMs, () => phone.sendRaw(bytes));
  };
  return { phone, talk };
}
