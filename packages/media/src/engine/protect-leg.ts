import type { SrtpCiphers } from '../rtp/srtp-suite.ts';
import type { AgreedKeys, AgreedMedia } from './commands.ts';
import type { Leg } from './leg.ts';
import { sendsBy } from './leg-connection.ts';
import { canProtect, protectionOf } from './leg-protection.ts';

/** Applies the protection of an agreement. With keys by DTLS the leg is silent until `secureLeg`. */
export function protectLeg(leg: Leg, { protection }: AgreedMedia, ciphers: SrtpCiphers | undefined): void {
  const agreedKeys = protection?.by === 'sdes' ? protection : undefined;
  leg.isChecked = protection?.by === 'dtls';
  leg.awaitsKeys = leg.isChecked;
  leg.protection = protectionOf(leg.protection, agreedKeys, ciphers, leg.unprotected, leg.keys);
}

/** The handshake is over: the leg talks with these keys. False when it awaits no handshake. */
export function secureLeg(
  leg: Leg | undefined,
  agreedKeys: AgreedKeys,
  ciphers: SrtpCiphers | undefined,
  nowMs: number,
): boolean {
  if (leg?.agreed === undefined || !leg.isChecked || !canProtect(agreedKeys, ciphers, leg.keys)) return false;
  leg.protection = protectionOf(leg.protection, agreedKeys, ciphers, leg.unprotected, leg.keys);
  leg.awaitsKeys = false;
  leg.sends = sendsBy(leg.agreed);
  // The silence before belongs to the handshake.
  leg.heardMs = nowMs;
  leg.silenceReported = false;
  return true;
}
