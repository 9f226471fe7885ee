/*
 * RFC 4733 §2.3
 *
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |     event     |E|R| volume    |          duration             |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 */

/** One report of an event; a reusable object. */
export interface TelephoneEvent {
  /** 0–9, * is 10, # is 11, A–D are 12–15 (RFC 4733 §3.2); 16 is a hook flash. */
  event: number;
  /** The event has ended. */
  end: boolean;
  /** Level below 0 dBm0 in dB, 0–63. */
  volume: number;
  /** Timestamp units since the packet's RTP timestamp, 0–65535. */
  duration: number;
}

/** Bytes of one event report (RFC 4733 §2.3). */
export const telephoneEventBytes = 4;

/** Reads the first event report of a payload; false when the payload is shorter. */
export function readTelephoneEvent(
  bytes: Uint8Array,
  offset: number,
  length: number,
  into: TelephoneEvent,
): boolean {
  if (length < telephoneEventBytes || offset + telephoneEventBytes > bytes.length) return false;
  into.event = bytes[offset]!;
  into.end = (bytes[offset + 1]! & 0x80) !== 0;
  into.volume = bytes[offset + 1]! & 0x3f;
  into.duration = (bytes[offset + 2]! << 8) | bytes[offset + 3]!;
  return true;
}

/** Writes one event report at `offset` and returns its length of four bytes. */
export function writeTelephoneEvent(out: Uint8Array, offset: number, event: TelephoneEvent): number {
  out[offset] = event.event;
  out[offset + 1] = (event.end ? 0x80 : 0) | (event.volume & 0x3f);
  out[offset + 2] = event.duration >>> 8;
  out[offset + 3] = event.duration;
  return telephoneEventBytes;
}

const digits = '0123456789*#ABCD';

/** The key of an event code 0–15; undefined for a flash and every other event. */
export function digitOfEvent(event: number): string | undefined {
  return digits[event];
}

/** The event code of a key (0–9 * # A–D, also a–d); undefined for any other character. */
export function eventOfDigit(digit: string): number | undefined {
  const event = digit.length === 1 ? digits.indexOf(digit.toUpperCase()) : -1;
  return event < 0 ? undefined : event;
}
