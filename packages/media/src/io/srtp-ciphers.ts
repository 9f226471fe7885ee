import { createCipheriv, createHmac, createSecretKey } from 'node:crypto';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';

/**
 * AES and HMAC-SHA1 of OpenSSL. One ECB cipher generates the key stream for all packets of a key. Keys are KeyObjects,
 * because Node imports a key given as bytes again for every HMAC, which takes six times as long.
 */
export const nodeCiphers: SrtpCiphers = {
  aes(key) {
    const cipher = createCipheriv(`aes-${(key.length * 8) as 128 | 256}-ecb`, createSecretKey(key), null);
    cipher.setAutoPadding(false);
    return (blocks) => cipher.update(blocks);
  },
  hmacSha1(key) {
    const secret = createSecretKey(key);
    return (message) => createHmac('sha1', secret).update(message).digest();
  },
};
