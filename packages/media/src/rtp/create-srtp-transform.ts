import { CounterTransform } from './srtp-counter.ts';
import { GcmTransform } from './srtp-gcm.ts';
import { masterBytes, type SrtpCiphers, srtpSuites } from './srtp-suite.ts';
import type { DeriveKey, SrtpMaster, SrtpTransform } from './srtp-transform.ts';

/** The master salt of the key derivation (RFC 3711 §8.2); a salt of GCM is shorter and padded with zeros (RFC 7714 §11). */
const saltBytes = 14;

/**
 * Derives the session keys of a master key (RFC 3711 §4.3.1). The key derivation rate is 0, so they do not change. Throws a RangeError for a
 * key of the wrong length.
 */
export function createSrtpTransform(ciphers: SrtpCiphers, master: SrtpMaster): SrtpTransform {
  const suite = srtpSuites[master.suite];
  if (master.keyAndSalt.length !== masterBytes(suite)) {
    throw new RangeError(
      `master key and salt have ${master.keyAndSalt.length} bytes: ${master.suite} needs ${masterBytes(suite)}`,
    );
  }
  const prf = ciphers.aes(master.keyAndSalt.slice(0, suite.keyBytes));
  const salt = new Uint8Array(saltBytes);
  salt.set(master.keyAndSalt.subarray(suite.keyBytes));
  const derive: DeriveKey = (label, bytes) => {
    const blocks = new Uint8Array(Math.ceil(bytes / 16) * 16);
    for (let at = 0; at < blocks.length; at += 16) {
      blocks.set(salt, at);
      // The label precedes the 48 bits of the index, which is always 0 here.
      blocks[at + 7]! ^= label;
      blocks[at + 15] = at / 16;
    }
    return prf.encrypt(blocks, blocks.length).slice(0, bytes);
  };
  try {
    return suite.mode === 'gcm'
      ? new GcmTransform(ciphers, suite, derive)
      : new CounterTransform(ciphers, suite, derive);
  } finally {
    prf.close();
  }
}
