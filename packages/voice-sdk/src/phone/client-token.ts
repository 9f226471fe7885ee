/** A client token (docs/interface/client-tokens.md), as far as a client reads it. */
export interface ClientToken {
  readonly text: string;
  /** The user part of the address of record. */
  readonly user: string;
  /** In milliseconds since the Unix epoch, by the clock of the page. */
  readonly expiresAt: number;
}

/**
 * Reads a token without judging its signature; undefined when it is none. By a clock that is outside of the token's time it counts as just made:
 * clocks of pages are wrong more often than tokens are old, and the server refuses an old one by its own clock.
 */
export function readToken(text: string, now: number): ClientToken | undefined {
  try {
    const payload = (text.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { sub, iss, nbf, exp } = JSON.parse(atob(payload)) as Record<string, unknown>;
    if (typeof iss !== 'string' || typeof nbf !== 'number' || typeof exp !== 'number') return undefined;
    const [begin, end] = [nbf * 1000, exp * 1000];
    // docs/interface/client-tokens.md#on-sip: a token without a subject has a user of its own.
    const user = typeof sub === 'string' && sub !== '' ? `${sub}_${iss}` : `puser${now}jt_${iss}`;
    return { text, user, expiresAt: begin <= now && now < end ? end : now + end - begin };
  } catch {
    return undefined;
  }
}
