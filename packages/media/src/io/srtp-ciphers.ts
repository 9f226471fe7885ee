import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';

const gcmTagBytes = 16;

/**
 * AES and HMAC-SHA1 of node:crypto, which work wherever Node does. One ECB cipher generates the key stream for all packets of a key. Keys
 * are KeyObjects, because Node imports a key given as bytes again for every HMAC, which takes six times as long. The garbage collector
 * frees all of them, so `close` has nothing to do.
 */
export const nodeCiphers: SrtpCiphers = {
  openCount: 0,
  aes(key) {
    const cipher = createCipheriv(`aes-${bitsOf(key)}-ecb`, createSecretKey(key), null);
    cipher.setAutoPadding(false);
    return { encrypt: (blocks, length) => cipher.update(headOf(blocks, length)), close() {} };
  },
  hmacSha1(key) {
    const secret = createSecretKey(key);
    return {
      sign: (message, length) => createHmac('sha1', secret).update(headOf(message, length)).digest(),
      close() {},
    };
  },
  aesGcm(key) {
    const algorithm = `aes-${bitsOf(key)}-gcm` as const;
    const secret: KeyObject = createSecretKey(key);
    return {
      seal(nonce, header, headerLength, bytes, start, end) {
        const cipher = createCipheriv(algorithm, secret, nonce);
        cipher.setAAD(headOf(header, headerLength));
        const sealed = cipher.update(bytes.subarray(start, end));
        cipher.final();
        bytes.set(sealed, start);
        bytes.set(cipher.getAuthTag(), end);
      },
      open(nonce, header, headerLength, bytes, start, end) {
        const decipher = createDecipheriv(algorithm, secret, nonce, { authTagLength: gcmTagBytes });
        decipher.setAAD(headOf(header, headerLength));
        decipher.setAuthTag(bytes.subarray(end, end + gcmTagBytes));
        const opened = decipher.update(bytes.subarray(start, end));
        try {
          decipher.final();
        } catch {
          return false;
        }
        bytes.set(opened, start);
        return true;
      },
      close() {},
    };
  },
};

function bitsOf(key: Uint8Array): 128 | 256 {
  return (key.length * 8) as 128 | 256;
}

function headOf(bytes: Uint8Array, length: number): Uint8Array {
  return length === bytes.length ? bytes : bytes.subarray(0, length);
}
