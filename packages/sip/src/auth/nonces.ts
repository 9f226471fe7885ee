import type { Equals } from './digest-response.ts';

/** Dependencies and bounds of the nonces. */
export interface NonceOptions {
  /** A keyed hash (HMAC) of a text in lower-case hex, at least 32 digits. */
  readonly sign: (text: string) => string;
  readonly equals: Equals;
  /**
   * The name of this process, in letters and digits. Processes with the same key do not share the memory of uses, so a nonce of another
   * process is stale here: the phone repeats its request with a new nonce and the same password (RFC 7616 §3.3).
   */
  readonly node?: string;
  /** Lifetime of a nonce, 60,000 ms. */
  readonly lifetimeMs?: number;
  /** The most used nonces in memory, 100,000. */
  readonly maxRemembered?: number;
}

/** A nonce of this server, presented by its source before its expiry. */
export interface IssuedNonce {
  readonly nonce: string;
  readonly issuedAt: number;
  readonly source: string;
}

/** The verdict on the use of a nonce; `ok` records this nc, so that a repetition is refused. */
export type NonceUse = 'ok' | 'stale' | 'replayed';

/** Signed nonces with a memory of their use. Times are milliseconds. */
export interface Nonces {
  /** A new nonce for a source address; from another source it counts as forged. */
  issue(now: number, source: string): string;
  /** Judges a nonce that a source presents, and records nothing. */
  judge(nonce: string, now: number, source: string): IssuedNonce | 'stale' | 'forged';
  /**
   * Records the use of a nonce, without the signature check of `judge`. Call it only after a right digest: otherwise unauthenticated
   * senders could fill the memory. nc 0 means a request without qop; the nonce is then used up.
   */
  use(issued: IssuedNonce, nc: number, now: number): NonceUse;
  /**
   * Whether we gave this nonce to that source within that time, which proves that the sender receives there (return
   * routability). Records nothing.
   */
  proves(nonce: string, now: number, source: string, withinMs?: number): boolean;
  /** Used nonces in memory. */
  readonly remembered: number;
}

interface Use {
  readonly issuedAt: number;
  readonly source: string;
  highest: number;
  /** Bit n is set when `highest - n` was used: requests may overtake each other on UDP. */
  window: number;
}

// 84 bits, more than the 80-bit tags of SRTP (RFC 3711 §4.2.1), and short: challenges answer unauthenticated senders.
const MAC_DIGITS = 21;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const WINDOW = 32;
const NONCE = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})-([A-Za-z0-9_-]{14})(\.[0-9a-z]{1,11})?$/;

/** Creates the nonces of one server process; under another key they count as forged. */
export function createNonces(options: NonceOptions): Nonces {
  const { sign, equals, lifetimeMs = 60_000, maxRemembered = 100_000 } = options;
  const uses = new Map<string, Use>();
  let issued = 0;
  // Nonces issued up to here count as stale: the bound on memory may have removed their uses.
  let forgottenUntil = -1;

  const ownEnd = options.node === undefined ? '' : `.${options.node}`;

  const mac = (time: string, serial: string, source: string, end: string): string =>
    shortened(sign(`${time}-${serial}-${source}${end}`).slice(0, MAC_DIGITS));

  /** Removes the oldest uses. The map is ordered by first use, which is nearly the order of issue. */
  const forget = (now: number): void => {
    for (const [nonce, use] of uses) {
      const isExpired = use.issuedAt + lifetimeMs < now;
      if (!isExpired && uses.size < maxRemembered) return;
      uses.delete(nonce);
      if (!isExpired) forgottenUntil = Math.max(forgottenUntil, use.issuedAt);
    }
  };

  const record = ({ nonce, issuedAt, source }: IssuedNonce, nc: number, now: number): NonceUse => {
    const use = uses.get(nonce);
    if (use !== undefined) return nc !== 0 && advance(use, nc) ? 'ok' : 'replayed';
    forget(now);
    if (issuedAt <= forgottenUntil) return 'stale';
    // Without qop there is no count, so the first use is the only one.
    uses.set(copied(nonce), {
      issuedAt,
      source,
      highest: nc === 0 ? Number.MAX_SAFE_INTEGER : nc,
      window: 1,
    });
    return 'ok';
  };

  /** The instant of issue to this source; undefined when no process with our key issued it. */
  const issuedTo = (nonce: string, source: string): number | undefined => {
    // The signature of a used nonce was checked at its first use, which a right digest followed.
    const use = uses.get(nonce);
    if (use !== undefined) return use.source === source ? use.issuedAt : undefined;
    const [, time = '', serial = '', signature = '', end = ''] = NONCE.exec(nonce) ?? [];
    if (time === '' || !equals(signature, mac(time, serial, source, end))) return undefined;
    return Number.parseInt(time, 36);
  };

  return {
    issue(now, source) {
      issued += 1;
      const time = Math.max(0, Math.floor(now)).toString(36);
      // The serial gives two phones behind one address different nonces, and so separate counts.
      const serial = issued.toString(36);
      return `${time}-${serial}-${mac(time, serial, source, ownEnd)}${ownEnd}`;
    },
    judge(nonce, now, source) {
      const issuedAt = issuedTo(nonce, source);
      if (issuedAt === undefined) return 'forged';
      const dot = nonce.indexOf('.');
      const isOwn = (dot < 0 ? '' : nonce.slice(dot)) === ownEnd;
      const isStale = !isOwn || issuedAt + lifetimeMs < now || issuedAt <= forgottenUntil;
      return isStale ? 'stale' : { nonce, issuedAt, source };
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

/** The same text in memory of its own: a part of a message keeps all of it. */
function copied(text: string): string {
  return text.split('').join('');
}

/** Hex to base64: two characters for three digits. */
function shortened(hex: string): string {
  let text = '';
  for (let at = 0; at < hex.length; at += 3) {
    const bits = (hexDigit(hex, at) << 8) | (hexDigit(hex, at + 1) << 4) | hexDigit(hex, at + 2);
    text += BASE64[bits >> 6]! + BASE64[bits & 63]!;
  }
  return text;
}

/** Records a count as used; false when it was used before or is older than the window. */
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

/** The value of a lower-case hex digit. */
function hexDigit(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < 0x61 ? code - 0x30 : code - 0x57;
}
