import { parseDigestFields } from './digest-fields.ts';
import { type DigestAlgorithm, digestAlgorithm } from './digest-response.ts';

/** A well-formed Authorization or Proxy-Authorization value. */
export interface Authorization {
  readonly username: string;
  readonly realm: string;
  readonly nonce: string;
  readonly uri: string;
  /** Lower-case hex of the algorithm's length. */
  readonly response: string;
  readonly algorithm: DigestAlgorithm;
  /** Undefined for the form of RFC 2069; then nc is 0 and cnonce empty. */
  readonly qop: 'auth' | undefined;
  readonly nc: number;
  /** As written, because the hash covers the digits. */
  readonly ncText: string;
  readonly cnonce: string;
}

const RESPONSE = { MD5: /^[0-9a-f]{32}$/, 'SHA-256': /^[0-9a-f]{64}$/ } as const;
const NONCE_COUNT = /^[0-9a-f]{8}$/i;

/** Parses an authorization; undefined when it is malformed or uses an algorithm or qop that was not offered. */
export function parseAuthorization(value: string): Authorization | undefined {
  const fields = parseDigestFields(value);
  const algorithm = fields && digestAlgorithm(fields.get('algorithm'));
  if (fields === undefined || algorithm === undefined) return undefined;
  const username = fields.get('username');
  const realm = fields.get('realm');
  const nonce = fields.get('nonce');
  const uri = fields.get('uri');
  const response = fields.get('response')?.toLowerCase();
  if (username === undefined || realm === undefined || nonce === undefined || uri === undefined)
    return undefined;
  if (response === undefined || !RESPONSE[algorithm].test(response)) return undefined;
  const core = { username, realm, nonce, uri, response, algorithm };
  const qop = fields.get('qop')?.toLowerCase();
  if (qop === undefined) return { ...core, qop, nc: 0, ncText: '', cnonce: '' };
  const ncText = fields.get('nc') ?? '';
  const cnonce = fields.get('cnonce') ?? '';
  const nc = NONCE_COUNT.test(ncText) ? Number.parseInt(ncText, 16) : 0;
  // RFC 7616 §3.4: the first request with a nonce has nc=00000001, so 0 is invalid.
  if (qop !== 'auth' || nc === 0 || cnonce === '') return undefined;
  return { ...core, qop, nc, ncText, cnonce };
}
