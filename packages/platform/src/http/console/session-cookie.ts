import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The name begins with `__Host-` on HTTPS: browsers then accept the cookie from this host alone, so that no other host of the domain
 * can plant one (RFC 6265bis §4.1.3.2).
 */
const nameFor = ({ protocol }: FastifyRequest, kind: 'session' | 'login' = 'session') =>
  `${protocol === 'https' ? '__Host-' : ''}jackfield_${kind}`;

/** The secret of the session; undefined without a cookie of its form. */
export function readSessionCookie(request: FastifyRequest): string | undefined {
  return readCookie(request, nameFor(request));
}

/** What a browser keeps while its person is at the identity provider. */
export function readLoginCookie(request: FastifyRequest): string | undefined {
  return readCookie(request, nameFor(request, 'login'));
}

function readCookie(request: FastifyRequest, name: string): string | undefined {
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

/**
 * Lax, because the request that comes back from the provider begins at another site. It opens nothing without the answer of the provider
 * that belongs to it.
 */
export function setLoginCookie(reply: FastifyReply, secret: string): void {
  setLogin(reply, `${secret}; Max-Age=${loginSeconds}`);
}

export function clearLoginCookie(reply: FastifyReply): void {
  setLogin(reply, '; Max-Age=0');
}

/** How long a person may take at the identity provider. */
const loginSeconds = 600;

function setLogin(reply: FastifyReply, valueAndAge: string): void {
  const name = nameFor(reply.request, 'login');
  // Fastify sends several Set-Cookie headers as several lines.
  void reply.header('set-cookie', `${name}=${valueAndAge}; ${attributesFor(reply.request, 'Lax')}`);
}

function attributesFor({ protocol }: FastifyRequest, sameSite: 'Strict' | 'Lax' = 'Strict'): string {
  return `Path=/; HttpOnly; SameSite=${sameSite}${protocol === 'https' ? '; Secure' : ''}`;
}
