import { arrival } from '../jitter/arrival.ts';
import type { StoredPacket } from '../jitter/packet-ring.ts';
import type { RtpHeader } from '../rtp/rtp-packet.ts';
import { sequenceDistance, timestampDistance } from '../rtp/serial-number.ts';
import type { Leg, LegRelay } from './leg.ts';
import type { SendPacket } from './send-packet.ts';

/** A packet that was overtaken by more than so many others is not passed on any more (RFC 3550 A.1: MAX_MISORDER). */
const MOST_OVERTAKEN = 100;
/** Events are passed on in packets of a few reports; more is no key. */
const LONGEST_EVENT = 32;
/** Where the jitter buffer's clock and the wall's differ by more than this, the stream began anew meanwhile. */
const PLAUSIBLE_MS = 400;

/** What streams of one engine share: where packets go, how many may, and how many went. */
export interface RelayRoute {
  readonly send: SendPacket;
  readonly packetsPerSecond: number;
  readonly counters: { relayed: number };
}

/**
 * One way of a relayed call: each packet of `from` goes to `to` at once, its payload as it came, under the identity of the
 * stream that `to` receives anyway. Numbers and timestamps are shifted by what makes the first packet follow the last mixed
 * frame; so what is lost stays lost, and what was overtaken can be put in order. The jitter buffer of `from` goes on beside it: the
 * mix can take over with any frame.
 */
export class RelayStream implements LegRelay {
  from: Leg | undefined;
  readonly to: Leg;
  /** Open, until something ends it; then the mix waits until what was passed on is over. */
  isOpen = true;
  /** When the last packet was passed on. */
  passedMs: number;
  /** Turns that the mix has waited. */
  turnsWaited = 0;
  readonly #route: RelayRoute;
  readonly #ssrc: number;
  readonly #timestampOffset: number;
  #sequenceOffset: number;
  #newest: number;
  #passed = 0;
  #credit: number;
  #creditMs: number;

  /** Begins behind the mixed frame that was just sent: the next packet of `from` is the one behind its newest. */
  constructor(from: Leg, to: Leg, route: RelayRoute, nowMs: number) {
    this.from = from;
    this.to = to;
    this.passedMs = from.heardMs;
    this.#route = route;
    this.#ssrc = from.received.ssrc;
    this.#timestampOffset = timestampDistance(from.jitter.position, to.rtp.timestamp);
    this.#newest = from.jitter.newestPacket;
    this.#sequenceOffset = to.rtp.sequenceNumber - this.#newest - 1;
    this.#credit = route.packetsPerSecond / 4;
    this.#creditMs = nowMs;
  }

  /** Sends what waits in the jitter buffer of `from`: what comes next follows on that. */
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

  /** Passes a packet on that `from` sent and its jitter buffer took; what does not fit ends the stream and is left to the mix. */
  pass(header: RtpHeader, bytes: Uint8Array, taken: number, nowMs: number): void {
    const { from, to } = this;
    if (!this.isOpen || from === undefined) return;
    // What the hearing table has just lost must not pass before the next tick either.
    if (!from.ear.isSettled || !to.ear.isSettled || header.ssrc !== this.#ssrc || taken === arrival.fresh) {
      this.isOpen = false;
      return;
    }
    if (taken === arrival.duplicate || taken === arrival.stray) return;
    const { payloadType, sequenceNumber, payloadOffset, payloadLength } = header;
    const ahead = sequenceDistance(this.#newest, sequenceNumber);
    if (ahead <= 0 && -ahead >= Math.min(this.#passed, MOST_OVERTAKEN)) return;
    const isEvent = payloadType === from.receiveEventPayloadType;
    const codec = from.codecByType[payloadType]!;
    if (isEvent ? to.eventPayloadType < 0 || payloadLength > LONGEST_EVENT : codec < 0) {
      this.#leaveOut(sequenceNumber, ahead);
      return;
    }
    const units = isEvent ? 0 : from.jitter.unitsIn(payloadType, bytes, payloadOffset, payloadLength);
    if (!isEvent && !fits(from, to, codec, units)) {
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
    this.#write(
      type,
      header.marker,
      sequenceNumber,
      header.timestamp,
      bytes,
      payloadOffset,
      payloadLength,
      units,
    );
  }

  /**
   * Clock units by which `to` has been sent more than it would have with the frame of this turn. The mix goes on where that
   * falls below a frame: so nothing is heard twice and nothing is left out.
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
    // Nothing of this stream is heard any more: whole frames, and the nearest one.
    if (byTime > -frame / 2) return 0;
    return Math.min(-1, Math.ceil(byTime / frame)) * frame;
  }

  /** Numbers of packets that `to` cannot be sent must be no loss to it. */
  #leaveOut(sequenceNumber: number, ahead: number): void {
    if (ahead <= 0) return;
    this.#newest = sequenceNumber;
    this.#sequenceOffset--;
    this.#passed = 0;
  }

  /** No more packets a second than any telephone sends: a flood is neither passed on nor does it end the call. */
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
  ): void {
    const { to } = this;
    const { rtp } = to;
    const number = (sequenceNumber + this.#sequenceOffset) & 0xffff;
    const time = (timestamp + this.#timestampOffset) >>> 0;
    const size = rtp.writeRelayed(payloadType, marker, number, time, bytes, offset, length, duration);
    this.#route.send(to.index, rtp.packet, size, to.toAddress, to.toPort);
    this.#route.counters.relayed++;
  }
}

/** Whether a packet of `from` with this codec (by index) and so many clock units is one that `to` is sent as well. */
export function fits(from: Leg, to: Leg, codec: number, units: number): boolean {
  if (codec !== to.codecIndex || units !== to.framesPerPacket * to.units) return false;
  return from.codec.clockRate === to.codec.clockRate && from.codec.sampleRate === to.codec.sampleRate;
}
