import { stringToSignV3 } from '@jackfield/contract';
import type { Secrets } from '@jackfield/ports';
import { newDigits } from '../../../kernel/ids.ts';
import { defaultSignaturePrefixes } from '../../callbacks/index.ts';

export interface UpgradeSignerDeps {
  readonly secrets: Pick<Secrets, 'sign' | 'randomBytes'>;
  readonly authTokenOf: (authId: string) => Promise<string | undefined>;
  /** Of the signature headers, e.g. `X-Service-`; the usual ones when left out. */
  readonly signaturePrefixes?: readonly string[];
}

/** The headers of one upgrade request; undefined when the main account is gone. */
export type SignUpgrade = (
  url: string,
  account: { readonly account: string; readonly mainAccount: string },
) => Promise<Readonly<Record<string, string>> | undefined>;

/** As in callbacks (docs/interface/signatures.md#version-2). */
const nonceDigits = 20;

/** V3 of a GET without parameters. A receiver rebuilds the URL as it sees it, so each form of it has its signature in the list. */
export function createUpgradeSigner({
  secrets,
  authTokenOf,
  signaturePrefixes = defaultSignaturePrefixes,
}: UpgradeSignerDeps): SignUpgrade {
  return async (url, { account, mainAccount }) => {
    const mainToken = await authTokenOf(mainAccount);
    if (mainToken === undefined) return undefined;
    const token = account === mainAccount ? mainToken : ((await authTokenOf(account)) ?? mainToken);
    const nonce = newDigits(nonceDigits, secrets);
    const texts = formsOf(url).map((form) => stringToSignV3('GET', form, nonce));
    const signed = (key: string): string => texts.map((text) => secrets.sign(key, text)).join(',');
    const own = signed(token);
    const main = token === mainToken ? own : signed(mainToken);
    const headers: Record<string, string> = { 'User-Agent': 'Jackfield' };
    for (const prefix of signaturePrefixes) {
      headers[`${prefix}Signature-V3`] = own;
      headers[`${prefix}Signature-Ma-V3`] = main;
      headers[`${prefix}Signature-V3-Nonce`] = nonce;
    }
    return headers;
  };
}

/**
 * The URL as written, and as it arrives (host in lower case, without the port of its scheme, with a path), under each
 * scheme that the server may see (docs/interface/signatures.md#streams): its own first.
 */
function formsOf(written: string): readonly string[] {
  const url = written.split('#', 1)[0] ?? '';
  const arriving = URL.canParse(url) ? new URL(url).href : url;
  const isSecure = /^wss:/i.test(url);
  const schemes = isSecure ? ['wss', 'https', 'ws', 'http'] : ['ws', 'http', 'wss', 'https'];
  const forms = [
    url,
    ...schemes.flatMap((scheme) => [url, arriving].map((form) => withScheme(form, scheme))),
  ];
  return [...new Set(forms)];
}

function withScheme(url: string, scheme: string): string {
  return url.replace(/^[a-z]+(?=:)/i, scheme);
}
