import type { ReceivedDigit } from '../codec/digit-receiver.ts';
import { readTelephoneEvent, type TelephoneEvent } from '../codec/telephone-event.ts';
import { arrival } from '../jitter/arrival.ts';
import { createRtpHeader, type RtpHeader, readRtpPacket, receivedPacketBytes } from '../rtp/rtp-packet.ts';
import { srtpPacketBytes } from '../rtp/srtp-suite.ts';
import { allocateBytes } from '../samples/sample-memory.ts';
import type { MediaNotice } from './commands.ts';
import { codecIndexOf, type Leg } from './leg.ts';

/** Objects that every packet reuses. */
export interface ReceiveScratch {
  readonly header: RtpHeader;
  readonly event: TelephoneEvent;
  /** The decrypted packet. */
  readonly plain: Uint8Array;
}

/** Creates the objects of one engine. */
export function createReceiveScratch(): ReceiveScratch {
  const event: TelephoneEvent = { event: 0, end: false, volume: 0, duration: 0 };
  return { header: createRtpHeader(), event, plain: allocateBytes(srtpPacketBytes) };
}

/** Checks one RTP packet and its source, and stores it in the jitter buffer for the next tick. False when it is not the leg's. */
export function receiveRtp(
  leg: Leg,
  received: Uint8Array,
  receivedLength: number,
  address: string,
  port: number,
  nowMs: number,
  scratch: ReceiveScratch,
  notify: (notice: MediaNotice) => void,
): boolean {
  const { header, plain } = scratch;
  let bytes = received;
  let length = receivedLength;
  if (leg.awaitsKeys) return false;
  // Authenticate first: an unauthenticated packet must not move the latch.
  if (leg.protection !== undefined) {
    length = leg.protection.receiver.unprotect(bytes, length, plain);
    if (length < 0) return false;
    bytes = plain;
  }
  if (receivedLength >= receivedPacketBytes || !readRtpPacket(bytes, length, header)) {
    leg.malformed++;
    return false;
  }
  if (!leg.isChecked && !isLatched(leg, header, address, port, nowMs)) return false;
  leg.heardMs = nowMs;
  leg.silenceReported = false;
  leg.packetsReceived++;
  leg.bytesReceived += length;
  if (header.ssrc !== leg.received.ssrc) leg.digitsIn.reset();
  leg.received.receive(header.ssrc, header.sequenceNumber, header.timestamp, nowMs);
  if (header.payloadType === leg.receiveEventPayloadType) {
    leg.keyMs = nowMs;
    if (!readTelephoneEvent(bytes, header.payloadOffset, header.payloadLength, scratch.event))
      leg.malformed++;
    else if (leg.listens) {
      emitDigits(leg, leg.digitsIn.receive(header.timestamp, scratch.event, nowMs), notify);
    }
    // RFC 3264 §5.1: ignore payloads that were not agreed on, such as unrequested comfort noise.
  } else {
    const { payloadType, payloadOffset, payloadLength } = header;
    const codecIndex = codecIndexOf(leg, payloadType);
    if (codecIndex < 0) leg.malformed++;
    else {
      leg.lastCodec = codecIndex;
      leg.lastUnits = leg.jitter.unitsIn(payloadType, bytes, payloadOffset, payloadLength);
    }
  }
  if (!leg.listens) return true;
  // Events go in too: the jitter buffer must not take their sequence numbers for gaps.
  const taken = leg.jitter.put(header, bytes, nowMs);
  if (taken === arrival.oversized) leg.malformed++;
  if (leg.relayOut !== undefined) leg.relayOut.pass(header, bytes, taken, nowMs);
  return true;
}

/** Whether packets of this source belong to the leg. They are answered from then on, unless signalling has named another source. */
function isLatched(leg: Leg, header: RtpHeader, address: string, port: number, nowMs: number): boolean {
  if (port !== leg.fromPort || address !== leg.fromAddress) {
    leg.fromAddress = address;
    leg.fromPort = port;
    leg.fromName = `${address}:${port}`;
  }
  const { ssrc, sequenceNumber } = header;
  const isProven = leg.protection !== undefined;
  if (!leg.latch.accept(leg.fromName, address, ssrc, sequenceNumber, nowMs, isProven)) return false;
  if (leg.latch.source !== leg.fromName) return true;
  // Symmetric RTP (RFC 4961): reply to the address that packets really come from, for example that of a NAT.
  if (port !== leg.toPort || address !== leg.toAddress) {
    leg.toAddress = address;
    leg.toPort = port;
  }
  return true;
}

/** Emits completed keys. */
export function emitDigits(
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
