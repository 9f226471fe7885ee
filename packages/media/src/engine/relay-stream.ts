import { EventScale } from '../codec/event-scale.ts';
import { arrival } from '../jitter/arrival.ts';
import type { StoredPacket } from '../jitter/packet-ring.ts';
import { type RtpHeader, rtpHeaderBytes } from '../rtp/rtp-packet.ts';
import { longestPayload } from '../rtp/rtp-sender.ts';
import { sequenceDistance, timestampDistance } from '../rtp/serial-number.ts';
import { codecIndexOf, type Leg, type LegRelay } from './leg.ts';
import type { SendPacket } from './send-packet.ts';

/** A packet that more than this many others overtook is dropped (RFC 3550 A.1: MAX_MISORDER). */
const MOST_OVERTAKEN = 100;
/** An event packet carries a few reports of 4 bytes; a longer one is invalid. */
const LONGEST_EVENT = 32;
/** When the clock of the jitter buffer and the wall clock differ by more than this, the stream has restarted. */
const PLAUSIBLE_MS = 400;

/** The common parts of all streams of an engine: the sender, the rate limit and the counter. */
export interface RelayRoute {
  readonly send: SendPacket;
  readonly packetsPerSecond: number;
  readonly counters: { relayed: number };
}

/**
 * One direction of a relayed call. Each packet of `from` goes to `to` at once: the audio is unchanged, the SSRC is
 * that of our stream to `to`. Constant offsets make the first packet follow the last mixed frame, so losses and
 * reorderings stay visible. The jitter buffer of `from` runs in parallel, so the mix can take over at any frame.
 */
export class RelayStream implements LegRelay {
  from: Leg | undefined;
  readonly to: Leg;
  /** After it closes, the mix waits until the time of the last relayed packet is over. */
  isOpen = true;
  /** When the last packet was relayed. */
  passedMs: number;
  /** Turns that the mix has waited. */
  turnsWaited = 0;
  readonly #route: RelayRoute;
  readonly #ssrc: number;
  readonly #timestampOffset: number;
  /** Undefined where both legs count events by the same clock. */
  readonly #eventScale: EventScale | undefined;
  #sequenceOffset: number;
  #newest: number;
  #passed = 0;
  #credit: number;
  #creditMs: number;

  /** Begins after the mixed frame that was just sent; the next packet of `from` follows its newest one. */
  constructor(from: Leg, to: Leg, route: RelayRoute, nowMs: number) {
    this.from = from;
    this.to = to;
    this.passedMs = from.heardMs;
    this.#route = route;
    this.#ssrc = from.received.ssrc;
    this.#timestampOffset = timestampDistance(from.jitter.position, to.rtp.timestamp);
    if (from.eventClockRate !== to.eventClockRate)
      this.#eventScale = new EventScale(from.eventClockRate, to.eventClockRate);
    this.#newest = from.jitter.newestPacket;
    this.#sequenceOffset = to.rtp.sequenceNumber - this.#newest - 1;
    this.#credit = route.packetsPerSecond / 4;
    this.#creditMs = nowMs;
  }

  /** Sends the packets that wait in the jitter buffer of `from`; the next one follows them. */
  passWaiting(first: number, packet: StoredPacket): void {
    const { from, to } = this;
    const count = sequenceDistance(first, this.#newest) + 1;
    this.#sequenceOffset += count;
    for (let n = 0; n < count; n++) {
      from!.jitter.packets.read((first + n) & 0xffff, packet);
      const { payload, offset, length, timestamp } = packet;
      const units = from!.jitter.unitsIn(packet.payloadType, payload, offset, length);
      this.#write(to.payloadType, false, (first + n) & 0xffff, timestamp, payload, offset, length, units);
    }
  }

  /** Relays a packet of `from`. A packet that does not fit closes the stream; the mix handles it. */
  pass(header: RtpHeader, bytes: Uint8Array, taken: number, nowMs: number): void {
    const { from, to } = this;
    if (!this.isOpen || from === undefined) return;
    // An edge that the hearing table has just lost takes effect now, not at the next tick.
    if (
      !from.hearing.isSettled ||
      !to.hearing.isSettled ||
      header.ssrc !== this.#ssrc ||
      taken === arrival.fresh
    ) {
      this.isOpen = false;
      return;
    }
    const { payloadType, sequenceNumber, payloadOffset, payloadLength } = header;
    const isEvent = payloadType === from.receiveEventPayloadType;
    const passesKeys = to.eventPayloadType >= 0 && !from.hearing.keepsKeys;
    if (isEvent && passesKeys) from.keyRelayedMs = from.keyMs;
    if (taken === arrival.duplicate || taken === arrival.stray) return;
    const ahead = sequenceDistance(this.#newest, sequenceNumber);
    if (ahead <= 0 && -ahead >= Math.min(this.#passed, MOST_OVERTAKEN)) return;
    const codec = codecIndexOf(from, payloadType);
    if (isEvent ? !passesKeys || payloadLength > LONGEST_EVENT : codec < 0) {
      this.#leaveOut(sequenceNumber, ahead);
      return;
    }
    const units = isEvent ? 0 : from.jitter.unitsIn(payloadType, bytes, payloadOffset, payloadLength);
    if (!isEvent && !fits(from, to, codec, units, payloadLength)) {
      this.isOpen = false;
      return;
    }
    if (!this.#affords(nowMs)) return;
    if (ahead > 0) {
      this.#passed += ahead;
      this.#newest = sequenceNumber;
      this.passedMs = nowMs;
    }
    const type = isEvent ? to.eventPayloadType : to.payloadType;
    const scale = isEvent ? this.#eventScale : undefined;
    const timestamp = scale?.startOf(header.timestamp, bytes[payloadOffset]!) ?? header.timestamp;
    this.#write(
      type,
      header.marker,
      sequenceNumber,
      timestamp,
      bytes,
      payloadOffset,
      payloadLength,
      units,
      scale,
    );
  }

  /**
   * Clock units by which the relay is ahead of the frame of this turn. The mix continues when this is below one frame,
   * so that no sample is repeated or left out.
   */
  aheadOfMix(nowMs: number): number {
    const frame = this.to.units;
    const perMs = frame / 20;
    const passedUntilMs = this.passedMs + 20 * this.to.framesPerPacket;
    const byTime = Math.round((passedUntilMs - nowMs) * perMs) - frame;
    const { from, to } = this;
    if (from?.listens && from.jitter.isPlaying && from.received.ssrc === this.#ssrc) {
      const position = (from.jitter.position + this.#timestampOffset) >>> 0;
      const byAudio = timestampDistance(position, to.rtp.timestamp);
      if (Math.abs(byAudio - byTime) < PLAUSIBLE_MS * perMs) return byAudio;
    }
    // The jitter buffer does not play this stream any more: use the nearest number of whole frames.
    if (byTime > -frame / 2) return 0;
    return Math.min(-1, Math.ceil(byTime / frame)) * frame;
  }

  /** Closes the gap of a packet that `to` is not sent, so that it does not count as a loss. */
  #leaveOut(sequenceNumber: number, ahead: number): void {
    if (ahead <= 0) return;
    this.#newest = sequenceNumber;
    this.#sequenceOffset--;
    this.#passed = 0;
  }

  /** Limits the rate to what telephones send: packets of a flood are dropped, but the call stays relayed. */
  #affords(nowMs: number): boolean {
    const { packetsPerSecond } = this.#route;
    const earned = ((nowMs - this.#creditMs) * packetsPerSecond) / 1000;
    if (earned > 0) {
      this.#credit = Math.min(packetsPerSecond / 4, this.#credit + earned);
      this.#creditMs = nowMs;
    }
    if (this.#credit < 1) return false;
    this.#credit--;
    return true;
  }

  #write(
    payloadType: number,
    marker: boolean,
    sequenceNumber: number,
    timestamp: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    duration: number,
    scale?: EventScale,
  ): void {
    const { to } = this;
    const { rtp } = to;
    const number = (sequenceNumber + this.#sequenceOffset) & 0xffff;
    const time = (timestamp + this.#timestampOffset) >>> 0;
    const size = rtp.writeRelayed(payloadType, marker, number, time, bytes, offset, length, duration);
    scale?.convert(rtp.packet, rtpHeaderBytes, length);
    this.#route.send(to.index, rtp.packet, size, to.toAddress, to.toPort);
    this.#route.counters.relayed++;
  }
}

/** Whether a packet of `from` with this codec index, duration and length matches the packets that `to` is sent. */
export function fits(from: Leg, to: Leg, codec: number, units: number, bytes: number): boolean {
  // Opus with padding may be longer than the buffer of our packets (RFC 6716 §3.2.5).
  if (bytes > longestPayload) return false;
  if (codec !== to.codecIndex || units !== to.framesPerPacket * to.units) return false;
  return from.codec.clockRate === to.codec.clockRate && from.codec.sampleRate === to.codec.sampleRate;
}
