import type { SipRequest } from '../message/message.ts';
import { parseDigits, trimSpace } from '../message/tokens.ts';

/** A key that was pressed: one of `0-9*#ABCD`, and for how long. */
export interface PressedKey {
  readonly digit: string;
  readonly durationMs: number;
}

/** The length of a key press when the phone gives none: about that of phones' RFC 4733 events. */
const USUAL_DURATION_MS = 160;

/** Longer presses than this are noise. */
const LONGEST_DURATION_MS = 60_000;

/** Characters; a single key never needs more. */
const LONGEST_BODY = 256;

/**
 * The key in an INFO: `application/dtmf-relay` with lines `Signal=` and `Duration=`, or `application/dtmf` with the key alone.
 * Undefined for every other body and for any other signal. Neither type has an RFC; the forms are those of common phones.
 */
export function keyOfInfo({ headers, body }: SipRequest): PressedKey | undefined {
  if (body.length > LONGEST_BODY) return undefined;
  const type = mediaType(headers.get('Content-Type') ?? '');
  if (type === 'application/dtmf-relay') return keyOfRelay(body);
  if (type !== 'application/dtmf') return undefined;
  const digit = digitOf(body);
  return digit === undefined ? undefined : { digit, durationMs: USUAL_DURATION_MS };
}

function keyOfRelay(body: string): PressedKey | undefined {
  let digit: string | undefined;
  let durationMs = USUAL_DURATION_MS;
  for (const line of body.split(/\r\n|\r|\n/)) {
    const equals = line.indexOf('=');
    const name = trimSpace(line.slice(0, Math.max(0, equals))).toLowerCase();
    const value = trimSpace(line.slice(equals + 1));
    if (name === 'signal') digit = digitOf(value);
    if (name === 'duration') durationMs = parseDigits(value, LONGEST_DURATION_MS) ?? USUAL_DURATION_MS;
  }
  return digit === undefined ? undefined : { digit, durationMs };
}

/** Phones write star and hash as characters, or as the event numbers 10 and 11 (RFC 4733 §3.2). */
function digitOf(text: string): string | undefined {
  const signal = text.trim().toUpperCase();
  if (signal === '10') return '*';
  if (signal === '11') return '#';
  return /^[0-9*#A-D]$/.test(signal) ? signal : undefined;
}

function mediaType(value: string): string {
  const semicolon = value.indexOf(';');
  return trimSpace(semicolon < 0 ? value : value.slice(0, semicolon)).toLowerCase();
}
