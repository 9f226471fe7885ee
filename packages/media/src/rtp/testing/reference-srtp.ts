import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/*
 * SRTP with the counter mode and the GCM of OpenSSL, one packet at a time and with all 48 bits of the index given: nothing of it is
 * shared with the transforms, which build the key stream from single blocks.
 */

/** A session key with its salt, and the authentication key where the mode has one. */
export interface SessionKeys {
  readonly cipher: Uint8Array;
  readonly salt: Uint8Array;
  readonly auth?: Uint8Array;
}

/** RFC 3711 §4.3: `bytes` of the key with this label, for a key derivation rate of 0. */
export function deriveSessionKey(
  masterKey: Uint8Array,
  masterSalt: Uint8Array,
  label: number,
  bytes: number,
): Uint8Array {
  // x = (label ‖ r) XOR master_salt, the low ends aligned; 16 zero bits below count the blocks.
  let x = BigInt(`0x${Buffer.from(masterSalt).toString('hex').padEnd(28, '0')}`) ^ (BigInt(label) << 48n);
  x <<= 16n;
  const iv = Buffer.from(x.toString(16).padStart(32, '0'), 'hex');
  return createCipheriv(`aes-${masterKey.length * 8}-ctr`, masterKey, iv).update(new Uint8Array(bytes));
}

/** The session keys of one direction; the labels are 0 to 2 for SRTP and 3 to 5 for SRTCP (RFC 3711 §4.3.2). */
export function sessionKeys(masterKey: Uint8Array, masterSalt: Uint8Array, of: 'rtp' | 'rtcp'): SessionKeys {
  const first = of === 'rtp' ? 0 : 3;
  return {
    cipher: deriveSessionKey(masterKey, masterSalt, first, masterKey.length),
    auth: deriveSessionKey(masterKey, masterSalt, first + 1, 20),
    salt: deriveSessionKey(masterKey, masterSalt, first + 2, masterSalt.length),
  };
}

/** RFC 3711 §4.1.1: encrypts or decrypts with AES in counter mode. */
export function counterMode(
  { cipher, salt }: SessionKeys,
  ssrc: number,
  index: bigint,
  bytes: Uint8Array,
): Uint8Array {
  const k = BigInt(`0x${Buffer.from(salt).toString('hex')}`);
  const iv = (k << 16n) ^ (BigInt(ssrc) << 64n) ^ (index << 16n);
  const text = Buffer.from(iv.toString(16).padStart(32, '0'), 'hex');
  return createCipheriv(`aes-${cipher.length * 8}-ctr`, cipher, text).update(bytes);
}

/** RFC 3711 §4.2: the first `tagBytes` of the tag over the packet and a word: the rollover counter, or nothing for SRTCP. */
export function authTag(
  { auth }: SessionKeys,
  tagBytes: number,
  packet: Uint8Array,
  word?: number,
): Uint8Array {
  const hmac = createHmac('sha1', auth!).update(packet);
  if (word !== undefined) hmac.update(wordOf(word));
  return hmac.digest().subarray(0, tagBytes);
}

/** RFC 7714 §8.1, §9.1: the nonce of a packet. */
export function gcmNonce({ salt }: SessionKeys, ssrc: number, index: bigint): Uint8Array {
  const text = (BigInt(ssrc) << 48n) | index;
  const k = BigInt(`0x${Buffer.from(salt).toString('hex')}`);
  return Buffer.from((text ^ k).toString(16).padStart(24, '0'), 'hex');
}

/** Encrypts with AES-GCM; the tag follows. */
export function gcmSeal(
  keys: SessionKeys,
  nonce: Uint8Array,
  header: Uint8Array,
  plain: Uint8Array,
): Uint8Array {
  const algorithm = `aes-${keys.cipher.length * 8}-gcm` as 'aes-128-gcm';
  const cipher = createCipheriv(algorithm, keys.cipher, nonce);
  cipher.setAAD(header);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `gcmSeal` has made; undefined for a wrong tag. */
export function gcmOpen(
  keys: SessionKeys,
  nonce: Uint8Array,
  header: Uint8Array,
  sealed: Uint8Array,
): Uint8Array | undefined {
  const algorithm = `aes-${keys.cipher.length * 8}-gcm` as 'aes-128-gcm';
  const decipher = createDecipheriv(algorithm, keys.cipher, nonce);
  decipher.setAAD(header);
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = decipher.update(sealed.subarray(0, -16));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

/** Four bytes, the most significant first. */
export function wordOf(value: number): Uint8Array {
  const word = Buffer.alloc(4);
  word.writeUInt32BE(value >>> 0);
  return word;
}
