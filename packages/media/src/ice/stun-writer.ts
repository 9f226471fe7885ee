import type { HmacSha1 } from '../rtp/srtp-suite.ts';
import { addressBytes, addressText, withoutMapping } from './address-bytes.ts';
import { addFingerprint, sign, writeHead } from './stun-integrity.ts';
import {
  type StunMessage,
  stunAttributes,
  stunCookie,
  stunHeaderBytes,
  stunTypes,
  word16,
} from './stun-message.ts';

/** Enough for every message that is written here. */
export const stunWriterBytes = 640;

/** Writes the answer to a check: where it came from, signed with our password (RFC 8445 §7.3). Returns its length. */
export function writeSuccess(
  out: Uint8Array,
  transaction: string,
  from: { readonly address: string; readonly port: number },
  password: HmacSha1,
): number {
  writeHeader(out, stunTypes.success, transaction);
  const length = writeMapped(out, stunHeaderBytes, from.address, from.port);
  return addFingerprint(out, sign(out, length, password));
}

/** Writes a signed refusal (RFC 8489 §14.8), with the attributes that we do not understand for 420. Returns its length. */
export function writeError(
  out: Uint8Array,
  transaction: string,
  code: number,
  unknown: readonly number[],
  password: HmacSha1,
): number {
  writeHeader(out, stunTypes.error, transaction);
  writeHead(out, stunHeaderBytes, stunAttributes.errorCode, 4);
  out.set([0, 0, Math.floor(code / 100), code % 100], stunHeaderBytes + 4);
  let length = stunHeaderBytes + 8;
  if (unknown.length > 0) {
    const named = unknown.slice(0, 8);
    writeHead(out, length, stunAttributes.unknownAttributes, 2 * named.length);
    out.fill(0, length + 4, length + 4 + 16);
    for (const [n, type] of named.entries()) {
      out[length + 4 + 2 * n] = type >>> 8;
      out[length + 5 + 2 * n] = type;
    }
    length += 4 + Math.ceil(named.length / 2) * 4;
  }
  return addFingerprint(out, sign(out, length, password));
}

/** A connectivity check of a full agent, for tests and for programs that act as a browser (RFC 8445 §7.2.2). */
export interface StunCheck {
  readonly transaction: string;
  readonly username: string;
  readonly priority: number;
  readonly role: 'controlling' | 'controlled';
  /** 16 hexadecimal digits. */
  readonly tieBreaker: string;
  readonly useCandidate: boolean;
}

/** Writes a check, signed with the password of the other side. Returns its length. */
export function writeCheck(out: Uint8Array, check: StunCheck, password: HmacSha1): number {
  writeHeader(out, stunTypes.request, check.transaction);
  let length = stunHeaderBytes;
  const add = (type: number, value: ArrayLike<number>): void => {
    writeHead(out, length, type, value.length);
    out.fill(0, length + 4, length + 4 + Math.ceil(value.length / 4) * 4);
    out.set(value, length + 4);
    length += 4 + Math.ceil(value.length / 4) * 4;
  };
  const { priority, username } = check;
  add(
    stunAttributes.username,
    Array.from(username, (letter) => letter.charCodeAt(0)),
  );
  add(stunAttributes.priority, [
    priority >>> 24,
    (priority >>> 16) & 255,
    (priority >>> 8) & 255,
    priority & 255,
  ]);
  add(stunAttributes[check.role], bytesOf(check.tieBreaker));
  if (check.useCandidate) add(stunAttributes.useCandidate, []);
  return addFingerprint(out, sign(out, length, password));
}

/** The address in XOR-MAPPED-ADDRESS; undefined without a readable one. */
export function mappedAddress(
  bytes: Uint8Array,
  { mappedAt, mappedBytes }: StunMessage,
): { readonly address: string; readonly port: number } | undefined {
  const family = bytes[mappedAt + 1];
  if (mappedAt === 0 || !((family === 1 && mappedBytes === 8) || (family === 2 && mappedBytes === 20))) {
    return undefined;
  }
  const address = bytes.slice(mappedAt + 4, mappedAt + mappedBytes).map((byte, i) => byte ^ bytes[4 + i]!);
  return { address: addressText(address), port: word16(bytes, mappedAt + 2) ^ (stunCookie >>> 16) };
}

function writeHeader(out: Uint8Array, type: number, transaction: string): void {
  writeHead(out, 0, type, 0);
  for (let i = 0; i < 4; i++) out[4 + i] = stunCookie >>> (24 - 8 * i);
  out.set(bytesOf(transaction), 8);
}

/** RFC 8489 §14.2: masked with the cookie and, for IPv6, the transaction id, which follow each other in the header. */
function writeMapped(out: Uint8Array, at: number, address: string, port: number): number {
  // A dual-stack socket names IPv4 senders by mapped addresses (RFC 4291 §2.5.5.2); the phone knows the plain one.
  const bytes = addressBytes(withoutMapping(address)) ?? new Uint8Array(4);
  writeHead(out, at, stunAttributes.xorMappedAddress, 4 + bytes.length);
  const masked = port ^ (stunCookie >>> 16);
  out.set([0, bytes.length === 4 ? 1 : 2, masked >>> 8, masked & 255], at + 4);
  for (let i = 0; i < bytes.length; i++) out[at + 8 + i] = bytes[i]! ^ out[4 + i]!;
  return at + 8 + bytes.length;
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, n) =>
    Number.parseInt(hex.slice(2 * n, 2 * n + 2), 16),
  );
}
