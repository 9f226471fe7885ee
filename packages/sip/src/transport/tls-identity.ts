import { isIP } from 'node:net';

/** The names in a certificate: Node's texts of subjectAltName and of the subject's common name. */
export interface CertificateNames {
  readonly subjectaltname?: string | undefined;
  readonly subject?: { readonly CN?: string | string[] } | undefined;
}

/**
 * The SIP domain identities of a certificate, lower case (RFC 5922 §7.1): hosts of its `sip` URIs without a user; DNS names
 * only without such a URI; the common name only without any subjectAltName.
 */
export function sipIdentities(certificate: CertificateNames): readonly string[] {
  const { subjectaltname, subject } = certificate;
  if (subjectaltname === undefined) {
    const names = subject?.CN ?? [];
    return (typeof names === 'string' ? [names] : names).map((name) => name.toLowerCase());
  }
  const uris: string[] = [];
  const names: string[] = [];
  for (const { type, value } of alternativeNames(subjectaltname)) {
    if (type === 'URI') {
      const host = hostOfSipUri(value);
      if (host !== undefined) uris.push(host);
    } else if (type === 'DNS') names.push(value.toLowerCase());
  }
  return uris.length > 0 ? uris : names;
}

/**
 * Whether a certificate names a domain or address (RFC 5922 §7.2): names are compared whole and without case, and wildcards do
 * not match. An address must be among the certificate's addresses.
 */
export function isIdentityOf(certificate: CertificateNames, domain: string): boolean {
  if (isIP(domain) !== 0) {
    const sought = canonicalAddress(domain);
    return alternativeNames(certificate.subjectaltname ?? '').some(
      ({ type, value }) => type === 'IP Address' && canonicalAddress(value) === sought,
    );
  }
  const sought = domain.toLowerCase().replace(/\.$/, '');
  return !sought.includes('*') && sipIdentities(certificate).includes(sought);
}

/** `sip:example.com` and `sip:example.com:5061` name a domain; `sip:alice@example.com` names a user. */
function hostOfSipUri(uri: string): string | undefined {
  const match = /^sip:([^@;?:]+)(?::\d+)?(?:[;?][^@]*)?$/i.exec(uri);
  return match?.[1]?.toLowerCase();
}

// Node prints `DNS:a, URI:sip:b, IP Address:c`, and a value with ambiguous characters as a JSON string.
const ALTERNATIVE_NAME = /([A-Za-z][A-Za-z ]*):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/y;

function alternativeNames(text: string): { readonly type: string; readonly value: string }[] {
  const names: { readonly type: string; readonly value: string }[] = [];
  for (let index = 0; index < text.length; ) {
    ALTERNATIVE_NAME.lastIndex = index;
    const match = ALTERNATIVE_NAME.exec(text);
    if (match === null) break;
    const [whole, type = '', written = ''] = match;
    const value = written.startsWith('"') ? parsedString(written) : written;
    if (value !== undefined) names.push({ type, value });
    index += whole.length;
  }
  return names;
}

function parsedString(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  return new URL(`http://[${address.split('%')[0]}]`).hostname;
}
