import { SrtpKeystream } from './srtp-keystream.ts';
import { type SrtpCiphers, type SrtpSuiteName, srtpSaltBytes, srtpSuites } from './srtp-suite.ts';

/** The key of one direction, from signalling. */
export interface SrtpMaster {
  readonly suite: SrtpSuiteName;
  /** Master key followed by master salt (RFC 4568 §6.1). */
  readonly keyAndSalt: Uint8Array;
}

/** The session keys of one direction, for RTP or RTCP (RFC 3711 §4.3). */
export interface SrtpSession {
  readonly keystream: SrtpKeystream;
  readonly authenticate: (message: Uint8Array) => Uint8Array;
}

/** RFC 3711 §4.3.2. */
const labels = { rtp: { cipher: 0, auth: 1, salt: 2 }, rtcp: { cipher: 3, auth: 4, salt: 5 } } as const;

/** RFC 3711 §5.2, §5.3: n_a of HMAC-SHA1. */
const authKeyBytes = 20;

/**
 * Derives the session keys of a master key (RFC 3711 §4.3.1). The key derivation rate is 0, so they do not change.
 * Throws a RangeError for a key of the wrong length.
 */
export function deriveSession(ciphers: SrtpCiphers, master: SrtpMaster, of: 'rtp' | 'rtcp'): SrtpSession {
  const { keyBytes } = srtpSuites[master.suite];
  if (master.keyAndSalt.length !== keyBytes + srtpSaltBytes) {
    throw new RangeError(
      `master key and salt have ${master.keyAndSalt.length} bytes: ${master.suite} needs ${keyBytes + srtpSaltBytes}`,
    );
  }
  const prf = ciphers.aes(master.keyAndSalt.slice(0, keyBytes));
  const salt = master.keyAndSalt.slice(keyBytes);
  const derive = (label: number, bytes: number): Uint8Array => {
    const blocks = new Uint8Array(Math.ceil(bytes / 16) * 16);
    for (let at = 0; at < blocks.length; at += 16) {
      blocks.set(salt, at);
      // The label precedes the 48 bits of the index, which is always 0 here.
      blocks[at + 7]! ^= label;
      blocks[at + 15] = at / 16;
    }
    return prf(blocks).slice(0, bytes);
  };
  return {
    keystream: new SrtpKeystream(
      ciphers.aes(derive(labels[of].cipher, keyBytes)),
      derive(labels[of].salt, srtpSaltBytes),
    ),
    authenticate: ciphers.hmacSha1(derive(labels[of].auth, authKeyBytes)),
  };
}
