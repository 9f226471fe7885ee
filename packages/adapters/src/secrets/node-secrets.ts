import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
  timingSafeEqual,
} from 'node:crypto';
import type { Secrets } from '@jackfield/ports';

//  0        1          13         29
//  +--------+----------+----------+------------+
//  | version| IV       | tag      | ciphertext |
//  +--------+----------+----------+------------+
const version = 1;
const ivBytes = 12; // NIST SP 800-38D §5.2.1.1 recommends 96 bits
const tagBytes = 16;
const headBytes = 1 + ivBytes + tagBytes;

/** The port by `node:crypto`; every purpose has its own key, derived from the operator's (RFC 5869). */
export function createSecrets(operatorKey: Uint8Array): Secrets {
  if (operatorKey.length < 32) throw new Error("the operator's key has at least 32 bytes");
  // KeyObjects: with Buffers as keys Node 24 takes five times as long for a cipher or an HMAC.
  const sealing = subkey(operatorKey, 'encryption at rest');
  const hashing = subkey(operatorKey, 'keyed hash');
  const comparing = createSecretKey(randomBytes(32));
  const proving = ed25519(subkey(operatorKey, 'proofs').export());
  const mac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text, 'utf8');

  return {
    randomBytes: createRandomSource(),
    randomUuid: createUuidsInOrderOfTime(),
    encrypt(plain) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, iv, { authTagLength: tagBytes });
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), sealed]).toString('base64');
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < headBytes || bytes[0] !== version) throw new Error('the text is not a sealed text');
      const iv = bytes.subarray(1, 1 + ivBytes);
      const decipher = createDecipheriv('aes-256-gcm', sealing, iv, { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(1 + ivBytes, headBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]).toString('utf8');
      } catch (error) {
        throw Object.assign(
          new Error('the text was sealed under another key, or was changed', { cause: error }),
          { code: 'other-key' },
        );
      }
    },
    keyedHash: createKeyedHash(hashing),
    sign: (key, text) => createHmac('sha256', key).update(text, 'utf8').digest('base64'),
    signSha1: (key, text) => createHmac('sha1', key).update(text, 'utf8').digest('base64'),
    signProof: (text) => sign(null, Buffer.from(text, 'utf8'), proving).toString('base64url'),
    proofKey: createPublicKey(proving).export({ format: 'jwk' }).x ?? '',
    digest: (algorithm, text) => hash(algorithm, text, 'hex'),
    equals(left, right) {
      const [one, other] = [Buffer.from(left), Buffer.from(right)];
      if (one.length === other.length) return timingSafeEqual(one, other);
      // Hashes are of equal length, and the position of their first differing byte reveals nothing about the texts.
      return timingSafeEqual(mac(comparing, left).digest(), mac(comparing, right).digest());
    },
  };
}

const blockBytes = 64;
const shortBytes = 256;

/**
 * HMAC-SHA-256 (RFC 2104 §2) of short texts by two one-shot hashes: createHmac creates an object for each text, which costs more than the
 * hashes and burdens the garbage collector.
 */
function createKeyedHash(key: KeyObject): (text: string) => string {
  const inner = Buffer.alloc(blockBytes + shortBytes);
  const outer = Buffer.alloc(blockBytes + 32);
  const padded = Buffer.concat([key.export()], blockBytes);
  for (let at = 0; at < blockBytes; at++) {
    inner[at] = padded[at]! ^ 0x36;
    outer[at] = padded[at]! ^ 0x5c;
  }
  return (text) => {
    const length = Buffer.byteLength(text);
    if (length > shortBytes) return createHmac('sha256', key).update(text, 'utf8').digest('hex');
    inner.write(text, blockBytes);
    outer.write(hash('sha256', inner.subarray(0, blockBytes + length), 'hex'), blockBytes, 'hex');
    return hash('sha256', outer, 'hex');
  };
}

// Tags, nonces and identifiers take 8 to 32 bytes each, and a system call costs the same for 4 KiB.
const poolBytes = 4096;
const mostPooled = 64;

/** Random bytes that are used once and then wiped from the pool. */
function createRandomSource(): (length: number) => Uint8Array {
  let pool = Buffer.alloc(0);
  let at = 0;
  return (length) => {
    if (length > mostPooled) return randomBytes(length);
    if (at + length > pool.length) {
      pool = randomBytes(poolBytes);
      at = 0;
    }
    // A loop, because a view, its copy and its wiping cost three times as much for a dozen bytes.
    const taken = new Uint8Array(length);
    for (let index = 0; index < length; index++, at++) {
      taken[index] = pool[at]!;
      pool[at] = 0;
    }
    return taken;
  };
}

function subkey(operatorKey: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(
    Buffer.from(hkdfSync('sha256', operatorKey, new Uint8Array(0), `jackfield ${purpose} v1`, 32)),
  );
}

/** RFC 8410 §7: the bytes before the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

function ed25519(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
}

/**
 * Version 7 of RFC 9562 §5.7: milliseconds, then 74 random bits. Rows of one time are adjacent in every index: a commit changes a sixth
 * fewer pages than with version 4, and the indexes of a large table need not be in memory.
 */
function createUuidsInOrderOfTime(): () => string {
  let [written, prefix] = [Number.NaN, ''];
  return () => {
    const now = Date.now();
    // A call has ten of them, mostly several in a millisecond.
    if (now !== written) {
      const time = now.toString(16).padStart(12, '0');
      [written, prefix] = [now, `${time.slice(0, 8)}-${time.slice(8)}-7`];
    }
    return prefix + randomUUID().slice(15);
  };
}
