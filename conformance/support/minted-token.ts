import { createHmac } from 'node:crypto';

/** A client token as a program with the account's auth_token makes it. */
export function minted(
  claims: object,
  key: string,
  header: object = { alg: 'HS256', typ: 'JWT', cty: 'plivo;v=1' },
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
