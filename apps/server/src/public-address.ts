import { isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

/**
 * The address for phones (Contact, SDP) when the operator named none: the address that SIP is bound to, or, where SIP listens on every
 * address, the first of a real network interface.
 */
export function detectPublicAddress(
  sipHost: string,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): string {
  const family = sipHost === '::' ? 'IPv6' : 'IPv4';
  if (isIP(sipHost) !== 0 && sipHost !== '0.0.0.0' && sipHost !== '::') return sipHost;
  if (sipHost === 'localhost') return '127.0.0.1';
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  const outer = addresses.find(
    (each) => each.family === family && !each.internal && !isLinkLocal(each.address),
  );
  return outer?.address ?? (family === 'IPv6' ? '::1' : '127.0.0.1');
}

/** Addresses that are unreachable beyond the own link (RFC 3927, RFC 4291 §2.5.6). */
function isLinkLocal(address: string): boolean {
  return address.startsWith('169.254.') || /^fe[89ab]/i.test(address);
}
