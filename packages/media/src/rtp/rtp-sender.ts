import type { AudioCodec } from '../codec/audio-codec.ts';
import { type TelephoneEvent, telephoneEventBytes, writeTelephoneEvent } from '../codec/telephone-event.ts';
import { copyBytes } from '../samples/sample-loops.ts';
import { rtpHeaderBytes, writeRtpHeader } from './rtp-packet.ts';
import { sequenceDistance, timestampDistance } from './serial-number.ts';

/** The start of an outgoing stream; RFC 3550 §5.1 requires random values, so the caller supplies them. */
export interface RtpSenderOptions {
  readonly ssrc: number;
  readonly sequenceNumber: number;
  readonly timestamp: number;
  /** Of a stream that began in another engine; default 0. */
  readonly packetsSent?: number;
  readonly octetsSent?: number;
  /** Where all packets are written; default a buffer of its own with `packetBytes`. */
  readonly packet?: Uint8Array;
}

/** A packet with its header that fits an Ethernet frame over IPv4. */
export const packetBytes = 1472;

/** Bytes of audio in a packet: fits an Ethernet frame with all headers and the SRTP tag. */
export const longestPayload = 1400;

/**
 * One outgoing RTP stream: counts sequence number and timestamp, sets the marker, and writes all packets into one
 * buffer.
 */
export interface RtpSender {
  readonly ssrc: number;
  /** The last written packet: its first n bytes, where n is the result of the write. The next write overwrites it. */
  readonly packet: Uint8Array;
  /** The timestamp of the next audio packet. */
  readonly timestamp: number;
  readonly sequenceNumber: number;
  /** For sender reports (RFC 3550 §6.4.1): packets and payload bytes sent, each modulo 2³². */
  readonly packetsSent: number;
  readonly octetsSent: number;
  /** Encodes `count` samples into the next packet, advances the timestamp and returns the packet's length. */
  writeAudio(codec: AudioCodec, payloadType: number, samples: Int16Array, count: number): number;
  /** Copies an encoded payload of `duration` timestamp units into the next packet and returns the packet's length. */
  writePayload(
    payloadType: number,
    payload: Uint8Array,
    offset: number,
    length: number,
    duration: number,
  ): number;
  /**
   * Writes a relayed packet with its own number and timestamp, which may be older than those of the last packet.
   * Returns the packet's length. The next packet of this stream follows the newest number.
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
  /**
   * Writes one telephone-event packet with the timestamp of the event's start. Returns the packet's length; the
   * stream's timestamp stays.
   */
  writeEvent(payloadType: number, event: TelephoneEvent, timestamp: number, marker: boolean): number;
  /**
   * Advances the timestamp without a packet; the next audio packet is marked as the start of a talkspurt (RFC 3551
   * §4.1).
   */
  skip(duration: number): void;
  /** The options with which another sender continues this stream. */
  save(): RtpSenderOptions;
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
  packetsSent: number;
  octetsSent: number;
  #talkspurtStarts = true;

  constructor(options: RtpSenderOptions) {
    this.ssrc = options.ssrc >>> 0;
    this.timestamp = options.timestamp >>> 0;
    this.sequenceNumber = options.sequenceNumber & 0xffff;
    this.packet = options.packet ?? new Uint8Array(packetBytes);
    this.packetsSent = options.packetsSent ?? 0;
    this.octetsSent = options.octetsSent ?? 0;
  }

  writeAudio(codec: AudioCodec, payloadType: number, samples: Int16Array, count: number): number {
    const length = codec.encode(samples, count, this.packet, rtpHeaderBytes);
    this.#head(payloadType, this.#talkspurtStarts, this.timestamp, length);
    this.#talkspurtStarts = false;
    // RFC 3551 §4.5.2: the RTP clock may be slower than the sample rate (G.722).
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
    copyBytes(payload, offset, length, packet, rtpHeaderBytes);
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
    copyBytes(payload, offset, length, packet, rtpHeaderBytes);
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

  save(): RtpSenderOptions {
    const { ssrc, sequenceNumber, timestamp, packetsSent, octetsSent } = this;
    return { ssrc, sequenceNumber, timestamp, packetsSent, octetsSent };
  }

  #head(payloadType: number, marker: boolean, timestamp: number, payloadLength: number): void {
    writeRtpHeader(this.packet, payloadType, marker, this.sequenceNumber, timestamp, this.ssrc);
    this.sequenceNumber = (this.sequenceNumber + 1) & 0xffff;
    this.packetsSent = (this.packetsSent + 1) >>> 0;
    this.octetsSent = (this.octetsSent + payloadLength) >>> 0;
  }
}
