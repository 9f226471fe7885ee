import type { HmacSha1 } from '../rtp/srtp-suite.ts';
import { crc32 } from './crc32.ts';
import {
  fingerprintBytes,
  integrityBytes,
  type StunMessage,
  stunAttributes,
  stunHeaderBytes,
  word32,
} from './stun-message.ts';

/** RFC 8489 §14.7: distinguishes the fingerprint from a checksum of another protocol. */
const fingerprintMask = 0x5354554e;

/** Whether the fingerprint of a message is right; false without one. */
export function hasRightFingerprint(bytes: Uint8Array, { fingerprintAt }: StunMessage): boolean {
  if (fingerprintAt === 0) return false;
  return word32(bytes, fingerprintAt + 4) === (crc32(bytes, fingerprintAt) ^ fingerprintMask) >>> 0;
}

/** Whether the message is signed with this key (RFC 8489 §14.5); false without MESSAGE-INTEGRITY. Compares in constant time. */
export function isSigned(bytes: Uint8Array, { integrityAt }: StunMessage, password: HmacSha1): boolean {
  if (integrityAt === 0) return false;
  const [high, low] = [bytes[2]!, bytes[3]!];
  // The signature covers the header with a length that ends with this attribute.
  writeLength(bytes, integrityAt + integrityBytes);
  const signature = password.sign(bytes, integrityAt);
  bytes[2] = high;
  bytes[3] = low;
  let difference = 0;
  for (let i = 0; i < 20; i++) difference |= signature[i]! ^ bytes[integrityAt + 4 + i]!;
  return difference === 0;
}

/** Appends MESSAGE-INTEGRITY to the message in the first `length` bytes; returns its new length. */
export function sign(bytes: Uint8Array, length: number, password: HmacSha1): number {
  const end = length + integrityBytes;
  writeLength(bytes, end);
  const signature = password.sign(bytes, length);
  writeHead(bytes, length, stunAttributes.integrity, integrityBytes - 4);
  for (let i = 0; i < 20; i++) bytes[length + 4 + i] = signature[i]!;
  return end;
}

/** Appends FINGERPRINT; returns the new length. */
export function addFingerprint(bytes: Uint8Array, length: number): number {
  const end = length + fingerprintBytes;
  writeLength(bytes, end);
  const value = (crc32(bytes, length) ^ fingerprintMask) >>> 0;
  writeHead(bytes, length, stunAttributes.fingerprint, fingerprintBytes - 4);
  for (let i = 0; i < 4; i++) bytes[length + 4 + i] = value >>> (24 - 8 * i);
  return end;
}

/** Writes the head of an attribute. */
export function writeHead(bytes: Uint8Array, at: number, type: number, size: number): void {
  bytes[at] = type >>> 8;
  bytes[at + 1] = type;
  bytes[at + 2] = size >>> 8;
  bytes[at + 3] = size;
}

function writeLength(bytes: Uint8Array, end: number): void {
  const length = end - stunHeaderBytes;
  bytes[2] = length >>> 8;
  bytes[3] = length;
}
