import type { ReceivedDigit } from '../codec/digit-receiver.ts';
import { readTelephoneEvent, type TelephoneEvent } from '../codec/telephone-event.ts';
import { createRtpHeader, type RtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { srtpPacketBytes } from '../rtp/srtp-keystream.ts';
import type { MediaNotice } from './commands.ts';
import type { Leg } from './leg.ts';

/** Objects that are filled again for every packet. */
export interface ReceiveScratch {
  readonly header: RtpHeader;
  readonly event: TelephoneEvent;
  /** Room for a packet that was protected. */
  readonly plain: Uint8Array;
}

/** The objects of one engine. */
export function createReceiveScratch(): ReceiveScratch {
  const event: TelephoneEvent = { event: 0, end: false, volume: 0, duration: 0 };
  return { header: createRtpHeader(), event, plain: new Uint8Array(srtpPacketBytes) };
}

/** Takes one RTP packet of a leg: checks it, checks who sent it, and puts it where the next tick will find it. */
export function receiveRtp(
  leg: Leg,
  received: Uint8Array,
  receivedLength: number,
  address: string,
  port: number,
  nowMs: number,
  scratch: ReceiveScratch,
  notify: (notice: MediaNotice) => void,
): void {
  const { header, plain } = scratch;
  let bytes = received;
  let length = receivedLength;
  // Only what the other side has signed is looked at, so that nobody else can move the latch.
  if (leg.protection !== undefined) {
    length = leg.protection.receiver.unprotect(bytes, length, plain);
    if (length < 0) return;
    bytes = plain;
  }
  if (!readRtpPacket(bytes, length, header)) {
    leg.malformed++;
    return;
  }
  if (port !== leg.fromPort || address !== leg.fromAddress) {
    leg.fromAddress = address;
    leg.fromPort = port;
    leg.fromName = `${address}:${port}`;
  }
  const { ssrc, sequenceNumber } = header;
  const isProven = leg.protection !== undefined;
  if (!leg.latch.accept(leg.fromName, address, ssrc, sequenceNumber, nowMs, isProven)) return;
  // Symmetric RTP (RFC 4961): what comes back goes where the other side really is, e.g. to its NAT.
  if (port !== leg.toPort || address !== leg.toAddress) {
    leg.toAddress = address;
    leg.toPort = port;
  }
  leg.heardMs = nowMs;
  leg.silenceTold = false;
  leg.packetsReceived++;
  leg.bytesReceived += length;
  if (header.ssrc !== leg.received.ssrc) leg.digitsIn.reset();
  leg.received.receive(header.ssrc, header.sequenceNumber, header.timestamp, nowMs);
  if (header.payloadType === leg.receiveEventPayloadType) {
    leg.keyMs = nowMs;
    if (!readTelephoneEvent(bytes, header.payloadOffset, header.payloadLength, scratch.event))
      leg.malformed++;
    else if (leg.listens) {
      tellDigits(leg, leg.digitsIn.receive(header.timestamp, scratch.event, nowMs), notify);
    }
    // RFC 3264 §5.1: what was not agreed on is ignored, such as the comfort noise that some phones send unasked.
  } else if (leg.codecByType[header.payloadType]! < 0) leg.malformed++;
  else {
    leg.lastCodec = leg.codecByType[header.payloadType]!;
    leg.lastUnits = leg.jitter.unitsIn(header.payloadType, bytes, header.payloadOffset, header.payloadLength);
  }
  if (!leg.listens) return;
  // Others than audio as well: the buffer must know that their sequence numbers are no gaps.
  const taken = leg.jitter.put(header, bytes, nowMs);
  if (leg.relayOut !== undefined) leg.relayOut.pass(header, bytes, taken, nowMs);
}

/** Passes on keys that were completed. */
export function tellDigits(
  leg: Leg,
  digits: readonly ReceivedDigit[],
  notify: (notice: MediaNotice) => void,
): void {
  for (let i = 0; i < digits.length; i++) {
    const { digit, durationMs } = digits[i]!;
    leg.digitsReceived++;
    notify({ type: 'digit', leg: leg.name, digit, durationMs });
  }
}
