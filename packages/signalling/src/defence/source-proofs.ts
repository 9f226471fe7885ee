import type { Clock } from '@jackfield/ports';
import { decodeUtf8, type Nonces, parseAuthorization, type SipRequest } from '@jackfield/sip';

/** The headers that carry credentials. */
const credentialHeaders = ['Authorization', 'Proxy-Authorization'];

/**
 * Whether a request proves that its source receives what is sent there: it presents a nonce of the server, so its address is not forged.
 * `withinMs` is the age up to which a nonce counts; the lifetime of nonces when undefined.
 */
export function createSourceProofs(
  clock: Pick<Clock, 'now'>,
  nonces: Nonces,
): (request: SipRequest, address: string, withinMs: number | undefined) => boolean {
  return (request, address, withinMs) =>
    credentialHeaders.some((name) =>
      request.headers.all(name).some((value) => {
        const nonce = parseAuthorization(value)?.nonce;
        return nonce !== undefined && nonces.proves(nonce, clock.now(), address, withinMs);
      }),
    );
}

export function hasCredentials(request: SipRequest): boolean {
  return credentialHeaders.some((name) => request.headers.has(name));
}

/** The user and realm of the first valid credentials. */
export function credentialsIn({ headers }: SipRequest): {
  readonly username?: string;
  readonly realm?: string;
} {
  for (const name of credentialHeaders) {
    for (const value of headers.all(name)) {
      const { username, realm } = parseAuthorization(value) ?? {};
      if (username !== undefined && realm !== undefined) {
        return { username: decodeUtf8(username), realm: decodeUtf8(realm) };
      }
    }
  }
  return {};
}
