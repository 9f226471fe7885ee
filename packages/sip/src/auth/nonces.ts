import type { Equals } from './digest-response.ts';

/** What the nonces need from outside and their bounds. */
export interface NonceOptions {
  /** A keyed hash (HMAC) of a text in lower-case hex, at least 32 digits; the key never leaves its owner. */
  readonly sign: (text: string) => string;
  readonly equals: Equals;
  /** How long a nonce may be used, 60,000 ms. */
  readonly lifetimeMs?: number;
  /** Used nonces that are remembered at once, 100,000. */
  readonly maxRemembered?: number;
}

/** A nonce that we gave to the source that presents it, and that has not expired. */
export interface IssuedNonce {
  readonly nonce: string;
  readonly issuedAt: number;
}

/** What becomes of the use of a nonce: `ok` was recorded with this nc and cannot be used so again. */
export type NonceUse = 'ok' | 'stale' | 'replayed';

/** Signed nonces with a memory of their use. Times are milliseconds. */
export interface Nonces {
  /** A new nonce for a source (an address; a nonce that was given to one source is forged from another). */
  issue(now: number, source: string): string;
  /** Judges a nonce that a source presents, and records nothing. */
  judge(nonce: string, now: number, source: string): IssuedNonce | 'stale' | 'forged';
  /**
   * Records the use of a nonce whose digest was right: recording it earlier would let strangers fill the memory. The signature was
   * checked by `judge` and is not computed again. nc 0 stands for a request without qop: it uses the nonce up.
   */
  use(issued: IssuedNonce, nc: number, now: number): NonceUse;
  /**
   * Whether we gave this nonce to that source within that time: whoever has it receives what is sent there (return routability).
   * Nothing is recorded.
   */
  proves(nonce: string, now: number, source: string, withinMs?: number): boolean;
  /** Used nonces in memory. */
  readonly remembered: number;
}

interface Use {
  readonly issuedAt: number;
  highest: number;
  /** Bit n tells that `highest - n` was used: requests may overtake each other on UDP. */
  window: number;
}

// 84 bits, a little more than the tags of SRTP (RFC 3711 §4.2.1): challenges are answers to strangers, and are kept small.
const MAC_DIGITS = 21;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const WINDOW = 32;
const NONCE = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})-([A-Za-z0-9_-]{14})$/;

/** Creates nonces of one server process; what it signed is unknown to another key, and reads as forged there. */
export function createNonces(options: NonceOptions): Nonces {
  const { sign, equals, lifetimeMs = 60_000, maxRemembered = 100_000 } = options;
  const uses = new Map<string, Use>();
  let issued = 0;
  // Nonces issued up to here count as stale: their uses may have been forgotten to keep the memory bounded.
  let forgottenUntil = -1;

  const mac = (time: string, serial: string, source: string): string =>
    shortened(sign(`${time}-${serial}-${source}`).slice(0, MAC_DIGITS));

  /** In the order of first use, which is near enough to that of issue for the oldest to be in front. */
  const forget = (now: number): void => {
    for (const [nonce, use] of uses) {
      const isExpired = use.issuedAt + lifetimeMs < now;
      if (!isExpired && uses.size < maxRemembered) return;
      uses.delete(nonce);
      if (!isExpired) forgottenUntil = Math.max(forgottenUntil, use.issuedAt);
    }
  };

  const record = ({ nonce, issuedAt }: IssuedNonce, nc: number, now: number): NonceUse => {
    const use = uses.get(nonce);
    if (use !== undefined) return nc !== 0 && advance(use, nc) ? 'ok' : 'replayed';
    forget(now);
    if (issuedAt <= forgottenUntil) return 'stale';
    // Without qop nothing counts the uses, so the first is the last.
    uses.set(nonce, { issuedAt, highest: nc === 0 ? Number.MAX_SAFE_INTEGER : nc, window: 1 });
    return 'ok';
  };

  /** The instant at which we gave the nonce to the source; undefined when we did not. */
  const issuedTo = (nonce: string, source: string): number | undefined => {
    const [, time = '', serial = '', signature = ''] = NONCE.exec(nonce) ?? [];
    if (time === '' || !equals(signature, mac(time, serial, source))) return undefined;
    return Number.parseInt(time, 36);
  };

  return {
    issue(now, source) {
      issued += 1;
      const time = Math.max(0, Math.floor(now)).toString(36);
      // The serial keeps two phones behind one address from sharing a nonce and stealing each other's counts.
      const serial = issued.toString(36);
      return `${time}-${serial}-${mac(time, serial, source)}`;
    },
    judge(nonce, now, source) {
      const issuedAt = issuedTo(nonce, source);
      if (issuedAt === undefined) return 'forged';
      const isStale = issuedAt + lifetimeMs < now || issuedAt <= forgottenUntil;
      return isStale ? 'stale' : { nonce, issuedAt };
    },
    use: record,
    proves(nonce, now, source, withinMs = lifetimeMs) {
      const issuedAt = issuedTo(nonce, source);
      return issuedAt !== undefined && issuedAt + withinMs >= now;
    },
    get remembered() {
      return uses.size;
    },
  };
}

/** Two letters for every three hex digits. */
function shortened(hex: string): string {
  let text = '';
  for (let at = 0; at < hex.length; at += 3) {
    const bits = Number.parseInt(hex.slice(at, at + 3), 16);
    text += BASE64[bits >> 6]! + BASE64[bits & 63]!;
  }
  return text;
}

/** Notes a count as used; false when it was used before or lies behind the window. */
function advance(use: Use, nc: number): boolean {
  const ahead = nc - use.highest;
  if (ahead > 0) {
    use.window = ahead >= WINDOW ? 1 : ((use.window << ahead) | 1) >>> 0;
    use.highest = nc;
    return true;
  }
  if (-ahead >= WINDOW) return false;
  const bit = (1 << -ahead) >>> 0;
  if ((use.window & bit) !== 0) return false;
  use.window = (use.window | bit) >>> 0;
  return true;
}
