/*
 * RFC 8489 §5
 *
 * |0 0|    type: method and class |      length of the rest       |
 * |                     magic cookie 2112A442                     |
 * |                   transaction id (12 bytes)                   |
 * then attributes: type (2), length (2), value, padding to 4 bytes
 */

/** The binding method, the only one of ICE, by class (RFC 8489 §6). */
export const stunTypes = { request: 0x0001, indication: 0x0011, success: 0x0101, error: 0x0111 } as const;

/** Attribute types (RFC 8489 §14, RFC 8445 §16.1). */
export const stunAttributes = {
  mappedAddress: 0x0001,
  username: 0x0006,
  integrity: 0x0008,
  errorCode: 0x0009,
  unknownAttributes: 0x000a,
  realm: 0x0014,
  nonce: 0x0015,
  xorMappedAddress: 0x0020,
  priority: 0x0024,
  useCandidate: 0x0025,
  software: 0x8022,
  fingerprint: 0x8028,
  controlled: 0x8029,
  controlling: 0x802a,
} as const;

/** Bytes of the header. */
export const stunHeaderBytes = 20;
/** The magic cookie. */
export const stunCookie = 0x2112a442;
/** Bytes of MESSAGE-INTEGRITY with its head. */
export const integrityBytes = 24;
/** Bytes of FINGERPRINT with its head. */
export const fingerprintBytes = 8;

/** RFC 8445 §5.4: user name fragments have at most 256 characters, so a user name has at most 513. */
const mostUsernameBytes = 513;
/** A check of a browser has eight; more cost time before anything is authenticated. */
const mostAttributes = 32;

/** A STUN message of the binding method. Values that follow MESSAGE-INTEGRITY are not read: they are not signed. */
export interface StunMessage {
  readonly kind: keyof typeof stunTypes;
  /** 24 hexadecimal digits. */
  readonly transaction: string;
  readonly username: string | undefined;
  readonly priority: number | undefined;
  readonly useCandidate: boolean;
  /** The role that the sender claims; undefined without either attribute. */
  readonly role: 'controlling' | 'controlled' | undefined;
  readonly errorCode: number | undefined;
  /** Where the value of XOR-MAPPED-ADDRESS begins, and its bytes; 0 without it. */
  readonly mappedAt: number;
  readonly mappedBytes: number;
  /** Where MESSAGE-INTEGRITY and FINGERPRINT begin; 0 without them. */
  readonly integrityAt: number;
  readonly fingerprintAt: number;
  /** Attributes that a receiver must understand and that we do not (RFC 8489 §14). */
  readonly unknown: readonly number[];
}

const understood = new Set<number>(Object.values(stunAttributes));

/** Reads the first `length` bytes as a STUN message; undefined for anything else, and for other methods. Authenticates nothing. */
export function readStun(bytes: Uint8Array, length: number): StunMessage | undefined {
  if (length < stunHeaderBytes || length > bytes.length) return undefined;
  const rest = word16(bytes, 2);
  if (rest % 4 !== 0 || rest + stunHeaderBytes !== length || word32(bytes, 4) !== stunCookie)
    return undefined;
  const type = word16(bytes, 0);
  const kind = kinds.get(type);
  if (kind === undefined) return undefined;
  const found: Found = { unknown: [] };
  let attributes = 0;
  for (let at = stunHeaderBytes; at < length; ) {
    if (at + 4 > length || ++attributes > mostAttributes) return undefined;
    // RFC 8489 §14.7: the fingerprint is last.
    if (found.fingerprintAt !== undefined) return undefined;
    const size = word16(bytes, at + 2);
    const next = at + 4 + size + ((4 - (size % 4)) % 4);
    if (next > length) return undefined;
    if (!readAttribute(bytes, at, word16(bytes, at), size, found)) return undefined;
    at = next;
  }
  return {
    kind,
    transaction: hexOf(bytes, 8, 12),
    username: found.username,
    priority: found.priority,
    useCandidate: found.useCandidate ?? false,
    role: found.role,
    errorCode: found.errorCode,
    mappedAt: found.mappedAt ?? 0,
    mappedBytes: found.mappedBytes ?? 0,
    integrityAt: found.integrityAt ?? 0,
    fingerprintAt: found.fingerprintAt ?? 0,
    unknown: found.unknown,
  };
}

interface Found {
  username?: string;
  priority?: number;
  useCandidate?: boolean;
  role?: 'controlling' | 'controlled';
  errorCode?: number;
  mappedAt?: number;
  mappedBytes?: number;
  integrityAt?: number;
  fingerprintAt?: number;
  readonly unknown: number[];
}

const kinds = new Map(
  Object.entries(stunTypes).map(([kind, type]) => [type as number, kind as keyof typeof stunTypes]),
);

/** False for an attribute of a wrong length. */
function readAttribute(bytes: Uint8Array, at: number, type: number, size: number, found: Found): boolean {
  if (type === stunAttributes.fingerprint) {
    found.fingerprintAt = at;
    return size === fingerprintBytes - 4;
  }
  // RFC 8489 §14.5: what follows the integrity is ignored, except the fingerprint.
  if (found.integrityAt !== undefined) return true;
  switch (type) {
    case stunAttributes.username:
      if (size > mostUsernameBytes) return false;
      found.username ??= textOf(bytes, at + 4, size);
      return true;
    case stunAttributes.integrity:
      found.integrityAt = at;
      return size === integrityBytes - 4;
    case stunAttributes.priority:
      if (size === 4) found.priority ??= word32(bytes, at + 4);
      return size === 4;
    case stunAttributes.useCandidate:
      found.useCandidate = true;
      return true;
    case stunAttributes.controlling:
    case stunAttributes.controlled:
      found.role ??= type === stunAttributes.controlling ? 'controlling' : 'controlled';
      return size === 8;
    case stunAttributes.errorCode:
      if (size >= 4) found.errorCode ??= (bytes[at + 6]! & 7) * 100 + bytes[at + 7]!;
      return size >= 4;
    case stunAttributes.xorMappedAddress:
      found.mappedAt ??= at + 4;
      found.mappedBytes ??= size;
      return size === 8 || size === 20;
    default:
      if (type < 0x8000 && !understood.has(type)) found.unknown.push(type);
      return true;
  }
}

/** A big-endian 16-bit number. */
export function word16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

/** A big-endian 32-bit number. */
export function word32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function textOf(bytes: Uint8Array, at: number, size: number): string {
  let text = '';
  for (let i = 0; i < size; i++) text += String.fromCharCode(bytes[at + i]!);
  return text;
}

function hexOf(bytes: Uint8Array, at: number, size: number): string {
  let text = '';
  for (let i = 0; i < size; i++) text += bytes[at + i]!.toString(16).padStart(2, '0');
  return text;
}
