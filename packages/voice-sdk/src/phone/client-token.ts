/** A client token (docs/interface/client-tokens.md), as far as a client reads it. */
export interface ClientToken {
  readonly text: string;
  /** The user part of the address of record. */
  readonly user: string;
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Reads a token without judging its signature; undefined when it is none. */
export function readToken(text: string, now: number): ClientToken | undefined {
  try {
    const payload = (text.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { sub, iss, exp } = JSON.parse(atob(payload)) as Record<string, unknown>;
    if (typeof iss !== 'string' || typeof exp !== 'number') return undefined;
    // docs/interface/client-tokens.md#on-sip: a token without a subject has a user of its own.
    const user = typeof sub === 'string' && sub !== '' ? `${sub}_${iss}` : `puser${now}jt_${iss}`;
    return { text, user, expiresAt: exp * 1000 };
  } catch {
    return undefined;
  }
}
