import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The name begins with `__Host-` on HTTPS: browsers then accept the cookie from this host alone, so that no other host of the domain
 * can plant one (RFC 6265bis §4.1.3.2).
 */
const nameFor = ({ protocol }: FastifyRequest) =>
  protocol === 'https' ? '__Host-jackfield_session' : 'jackfield_session';

/** The secret of the session; undefined without a cookie of its form. */
export function readSessionCookie(request: FastifyRequest): string | undefined {
  const name = nameFor(request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue;
    const value = pair.slice(equals + 1).trim();
    return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
  }
  return undefined;
}

/** Without an age the browser forgets the cookie when it closes. */
export function setSessionCookie(reply: FastifyReply, secret: string): void {
  void reply.header('set-cookie', `${nameFor(reply.request)}=${secret}; ${attributesFor(reply.request)}`);
}

export function clearSessionCookie(reply: FastifyReply): void {
  void reply.header('set-cookie', `${nameFor(reply.request)}=; Max-Age=0; ${attributesFor(reply.request)}`);
}

function attributesFor({ protocol }: FastifyRequest): string {
  return `Path=/; HttpOnly; SameSite=Strict${protocol === 'https' ? '; Secure' : ''}`;
}
