import { stringToSignV2, stringToSignV3 } from '@jackfield/contract';
import { newDigits } from '../../kernel/ids.ts';
import type { Secrets } from '../../ports/secrets.ts';

/** A callback as it is sent, and the texts that its signatures are of. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signedV2: string;
  readonly signedV3: string;
}

export interface RequestToSign {
  /** Without fragment. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly fields: Readonly<Record<string, string>>;
  readonly eventId: string;
  /** Of the account or subaccount that owns the resource, and of the main account. */
  readonly token: string;
  readonly mainToken: string;
}

/** conventions.md §3.1: the nonce of the one published example has twenty digits. */
const nonceDigits = 20;

/** Form or query, and under each prefix the signatures V2 and V3 with nonces of their own, new for each attempt. */
export function signRequest(
  secrets: Pick<Secrets, 'sign' | 'randomBytes'>,
  prefixes: readonly string[],
  { url, method, fields, eventId, token, mainToken }: RequestToSign,
): SignedRequest {
  const nonceV2 = newDigits(nonceDigits, secrets);
  const nonceV3 = newDigits(nonceDigits, secrets);
  const signedV2 = stringToSignV2(url, nonceV2);
  const signedV3 = stringToSignV3(method, url, nonceV3, fields);
  const signatures = {
    'Signature-V2': secrets.sign(token, signedV2),
    'Signature-Ma-V2': secrets.sign(mainToken, signedV2),
    'Signature-V2-Nonce': nonceV2,
    'Signature-V3': secrets.sign(token, signedV3),
    'Signature-Ma-V3': secrets.sign(mainToken, signedV3),
    'Signature-V3-Nonce': nonceV3,
  };
  const headers: Record<string, string> = {
    'User-Agent': 'Jackfield',
    Accept: '*/*',
    ...(method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
    'X-Service-Event-Id': eventId,
  };
  for (const prefix of prefixes) {
    for (const [name, value] of Object.entries(signatures)) headers[`${prefix}${name}`] = value;
  }
  const encoded = encodeFields(fields);
  return method === 'POST'
    ? { url, headers, body: encoded, signedV2, signedV3 }
    : { url: withQuery(url, encoded), headers, body: '', signedV2, signedV3 };
}

export function encodeFields(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

/** The URL of a GET: what the customer put into its query stays in front. */
export function withQuery(url: string, query: string): string {
  if (query === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}
