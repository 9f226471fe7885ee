import { isIP } from 'node:net';
import type { Config } from './config.ts';

/** Hosts of SIP URIs that name this server: its addresses for phones, and the machine itself. */
export function ownAddresses({ publicAddress, publicAddresses = [], sip }: Config): string[] {
  const all = publicAddresses.map(({ address }) => address);
  const own = [publicAddress, ...all, sip.host, '127.0.0.1', '::1'].filter((each) => isIP(each) !== 0);
  const hosts = own.map((each) => (isIP(each) === 6 ? `[${each}]` : each).toLowerCase());
  return [...new Set([...hosts, 'localhost'])];
}
