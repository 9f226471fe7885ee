import type { AudioCodec } from '../codec/audio-codec.ts';
import { type TelephoneEvent, telephoneEventBytes, writeTelephoneEvent } from '../codec/telephone-event.ts';
import { rtpHeaderBytes, writeRtpHeader } from './rtp-packet.ts';
import { sequenceDistance, timestampDistance } from './serial-number.ts';

/** Where an outgoing stream starts; RFC 3550 §5.1 wants all three random, so the caller draws them. */
export interface RtpSenderOptions {
  readonly ssrc: number;
  readonly sequenceNumber: number;
  readonly timestamp: number;
  /** Bytes of the reused packet, header included; default 1,472, what fits an Ethernet frame over IPv4. */
  readonly maxPacketBytes?: number;
}

/** One outgoing RTP stream: keeps sequence number, timestamp and marker, and writes every packet into the same bytes. */
export interface RtpSender {
  readonly ssrc: number;
  /** The packet written last: its first n bytes, n being what the write returned. Overwritten by the next write. */
  readonly packet: Uint8Array;
  /** The timestamp that the next audio packet will carry. */
  readonly timestamp: number;
  readonly sequenceNumber: number;
  /** For sender reports (RFC 3550 §6.4.1): packets and payload bytes sent, each modulo 2³². */
  readonly packetsSent: number;
  readonly octetsSent: number;
  /** Encodes `count` samples into the next packet and returns its bytes; the timestamp moves on by them. */
  writeAudio(codec: AudioCodec, payloadType: number, samples: Int16Array, count: number): number;
  /** Copies an encoded payload that stands for `duration` timestamp units into the next packet and returns its bytes. */
  writePayload(
    payloadType: number,
    payload: Uint8Array,
    offset: number,
    length: number,
    duration: number,
  ): number;
  /**
   * Writes a packet of another stream that this one goes on with, under a number and timestamp of its own that may be older
   * than what was written last, and returns its bytes; the next packet of ours follows the newest.
   */
  writeRelayed(
    payloadType: number,
    marker: boolean,
    sequenceNumber: number,
    timestamp: number,
    payload: Uint8Array,
    offset: number,
    length: number,
    duration: number,
  ): number;
  /** Writes one telephone-event packet, stamped with the event's own start, and returns its bytes; the timestamp stays. */
  writeEvent(payloadType: number, event: TelephoneEvent, timestamp: number, marker: boolean): number;
  /** Time passes without an audio packet; the next one is marked as the start of a talkspurt (RFC 3551 §4.1). */
  skip(duration: number): void;
}

/** Creates the state of one outgoing stream. */
export function createRtpSender(options: RtpSenderOptions): RtpSender {
  return new Sender(options);
}

class Sender implements RtpSender {
  readonly ssrc: number;
  readonly packet: Uint8Array;
  timestamp: number;
  sequenceNumber: number;
  packetsSent = 0;
  octetsSent = 0;
  #talkspurtStarts = true;

  constructor(options: RtpSenderOptions) {
    this.ssrc = options.ssrc >>> 0;
    this.timestamp = options.timestamp >>> 0;
    this.sequenceNumber = options.sequenceNumber & 0xffff;
    this.packet = new Uint8Array(options.maxPacketBytes ?? 1472);
  }

  writeAudio(codec: AudioCodec, payloadType: number, samples: Int16Array, count: number): number {
    const length = codec.encode(samples, count, this.packet, rtpHeaderBytes);
    this.#head(payloadType, this.#talkspurtStarts, this.timestamp, length);
    this.#talkspurtStarts = false;
    // RFC 3551 §4.5.2: a codec's RTP clock may run slower than its samples (G.722).
    this.timestamp = (this.timestamp + (count * codec.clockRate) / codec.sampleRate) >>> 0;
    return rtpHeaderBytes + length;
  }

  writePayload(
    payloadType: number,
    payload: Uint8Array,
    offset: number,
    length: number,
    duration: number,
  ): number {
    const { packet } = this;
    for (let i = 0; i < length; i++) packet[rtpHeaderBytes + i] = payload[offset + i]!;
    this.#head(payloadType, this.#talkspurtStarts, this.timestamp, length);
    this.#talkspurtStarts = false;
    this.timestamp = (this.timestamp + duration) >>> 0;
    return rtpHeaderBytes + length;
  }

  writeRelayed(
    payloadType: number,
    marker: boolean,
    sequenceNumber: number,
    timestamp: number,
    payload: Uint8Array,
    offset: number,
    length: number,
    duration: number,
  ): number {
    const { packet } = this;
    for (let i = 0; i < length; i++) packet[rtpHeaderBytes + i] = payload[offset + i]!;
    const next = this.sequenceNumber;
    this.sequenceNumber = sequenceNumber;
    this.#head(payloadType, marker, timestamp, length);
    if (sequenceDistance(next, sequenceNumber) < 0) this.sequenceNumber = next;
    const end = (timestamp + duration) >>> 0;
    if (timestampDistance(this.timestamp, end) > 0) this.timestamp = end;
    this.#talkspurtStarts = false;
    return rtpHeaderBytes + length;
  }

  writeEvent(payloadType: number, event: TelephoneEvent, timestamp: number, marker: boolean): number {
    writeTelephoneEvent(this.packet, rtpHeaderBytes, event);
    this.#head(payloadType, marker, timestamp, telephoneEventBytes);
    return rtpHeaderBytes + telephoneEventBytes;
  }

  skip(duration: number): void {
    this.timestamp = (this.timestamp + duration) >>> 0;
    this.#talkspurtStarts = true;
  }

  #head(payloadType: number, marker: boolean, timestamp: number, payloadLength: number): void {
    writeRtpHeader(this.packet, payloadType, marker, this.sequenceNumber, timestamp, this.ssrc);
    this.sequenceNumber = (this.sequenceNumber + 1) & 0xffff;
    this.packetsSent = (this.packetsSent + 1) >>> 0;
    this.octetsSent = (this.octetsSent + payloadLength) >>> 0;
  }
}
