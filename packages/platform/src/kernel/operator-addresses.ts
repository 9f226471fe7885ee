import { isIP, isIPv4, isIPv6 } from 'node:net';

/** RFC 1123 §2.1. */
const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
const numericEnd = /(?:^|\.)[0-9]+$/;
const sipUri = /^sips?:[^@\s;?<>"]{1,100}@(\[[^\]]*\]|[^@\s;?<>":]+)(?::([0-9]{1,5}))?$/;

/** A host name, or an IP address, IPv6 in brackets. */
export function isHost(text: string): boolean {
  if (text.startsWith('['))
    return text.endsWith(']') && isPlain(text.slice(1, -1)) && isIPv6(text.slice(1, -1));
  // RFC 3986 §3.2.2: what looks like an IPv4 address is one.
  return numericEnd.test(text) ? isIPv4(text) : hostName.test(text);
}

/** The URI of a user at a host, perhaps with a port. */
export function isSipUri(text: string): boolean {
  const [, host, port = '5060'] = sipUri.exec(text) ?? [];
  return host !== undefined && isHost(host) && Number(port) >= 1 && Number(port) <= 65_535;
}

/** A wider network has the addresses of others. */
const shortestPrefix = { 4: 8, 6: 16 } as const;

/** An IP address, or a network of at least /8, for IPv6 of at least /16. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isPlain(address) ? isIP(address) : 0;
  if ((family !== 4 && family !== 6) || more.length > 0) return false;
  if (prefix === undefined) return true;
  const bits = /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return bits >= shortestPrefix[family] && bits <= (family === 4 ? 32 : 128);
}

/** Without the zone of an IPv6 address (RFC 4007 §11), which no packet carries. */
function isPlain(address: string): boolean {
  return !address.includes('%');
}
