import { stringToSignV2, stringToSignV3 } from '@jackfield/contract';
import { type Secrets, writtenAuthority } from '@jackfield/ports';
import { newDigits } from '../../../kernel/ids.ts';
import { parseDeliverySettings } from '../domain/delivery-settings.ts';

/** A request, and the texts that its signatures sign. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signedV2: string;
  /** Of the first signature; a second one is of the URL in the form in which it is sent, where that is another. */
  readonly signedV3: string;
}

export interface RequestToSign {
  /** As the customer wrote it; its fragment is neither sent nor signed. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** The form of a POST, the end of the query of a GET. */
  readonly fields: Readonly<Record<string, string>>;
  /** The event that the request reports; absent without one. */
  readonly eventId?: string;
  /** The account or subaccount that owns the resource. */
  readonly account: string;
  readonly mainAccount: string;
}

/** Signs a request for an account; undefined when its main account is gone. */
export type SignRequest = (request: RequestToSign) => Promise<SignedRequest | undefined>;

export interface SignerDeps {
  readonly secrets: Pick<Secrets, 'sign' | 'randomBytes'>;
  readonly authTokenOf: (authId: string) => Promise<string | undefined>;
  /** Of the signature headers, e.g. `X-Service-`; the usual ones when left out. */
  readonly prefixes?: readonly string[];
}

/** The published interface's own prefix, and that of the hosted service, whose validators then work unchanged (docs/interface/signatures.md#prefixes). */
export const defaultSignaturePrefixes: readonly string[] = ['X-Service-', 'X-Plivo-'];

/** docs/interface/signatures.md#version-2: the nonce of the only published example has twenty digits. */
const nonceDigits = 20;

/** Adds form or query, and under each prefix the signatures V2 and V3, each with a nonce that is new for each request. */
export function createSigner({
  secrets,
  authTokenOf,
  prefixes = defaultSignaturePrefixes,
}: SignerDeps): SignRequest {
  return async ({ url: written, method, fields, eventId, account, mainAccount }) => {
    const mainToken = await authTokenOf(mainAccount);
    if (mainToken === undefined) return undefined;
    // The last requests of a deleted subaccount are signed by the main account alone.
    const token = account === mainAccount ? mainToken : ((await authTokenOf(account)) ?? mainToken);
    const { url } = parseDeliverySettings(written);
    const nonceV2 = newDigits(nonceDigits, secrets);
    const nonceV3 = newDigits(nonceDigits, secrets);
    const sent = sentForm(url);
    // A signature V2 is one: that of the written URL, unless its letters cannot be in a request.
    const signedV2 = stringToSignV2(/^[^?]*\P{ASCII}/u.test(url) ? sent : url, nonceV2);
    const signedV3 = stringToSignV3(method, url, nonceV3, fields);
    const textsV3 = new Set([signedV3, stringToSignV3(method, sent, nonceV3, fields)]);
    const signV3 = (key: string) => [...textsV3].map((text) => secrets.sign(key, text)).join(',');
    const v2 = secrets.sign(token, signedV2);
    const v3 = signV3(token);
    const signatures = {
      'Signature-V2': v2,
      'Signature-Ma-V2': token === mainToken ? v2 : secrets.sign(mainToken, signedV2),
      'Signature-V2-Nonce': nonceV2,
      'Signature-V3': v3,
      'Signature-Ma-V3': token === mainToken ? v3 : signV3(mainToken),
      'Signature-V3-Nonce': nonceV3,
    };
    const headers: Record<string, string> = {
      'User-Agent': 'Jackfield',
      Accept: '*/*',
      ...(method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
      ...(eventId === undefined ? {} : { 'X-Service-Event-Id': eventId }),
    };
    for (const prefix of prefixes) {
      for (const [name, value] of Object.entries(signatures)) headers[`${prefix}${name}`] = value;
    }
    const encoded = encodeFields(fields);
    return method === 'POST'
      ? { url, headers, body: encoded, signedV2, signedV3 }
      : { url: withQuery(url, encoded), headers, body: '', signedV2, signedV3 };
  };
}

/** The URL that a receiver rebuilds from its request: the host as written, the path as the parser of URLs writes it. */
function sentForm(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${writtenAuthority(url) ?? host}${pathname}${search}`;
}

export function encodeFields(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

/** The URL of a GET: the customer's own query stays in front. */
export function withQuery(url: string, query: string): string {
  if (query === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}
