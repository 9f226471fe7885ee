import { parseSipUri } from '@jackfield/sip';

const addressLiteral = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\]|localhost)$/i;

/** Whether the host of a URI is ours: one of `domains` (lower case), or an address literal, which names this machine. */
export function isOurs(host: string, domains: readonly string[]): boolean {
  return domains.includes(host) || addressLiteral.test(host);
}

/** The trunk of a Request-URI: `<trunk_id>.zt.<domain>` (docs/interface/trunks.md#identifiers). */
export function trunkOf(requestUri: string, domains: readonly string[]): string | undefined {
  const host = parseSipUri(requestUri)?.host;
  // An identifier has 14 to 18 digits.
  const [, trunk, domain = ''] = /^(\d{14,18})\.zt\.(.+)$/.exec(host ?? '') ?? [];
  return domains.includes(domain) ? trunk : undefined;
}
