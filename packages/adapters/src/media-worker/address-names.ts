import { isIPv4 } from 'node:net';

/** IPv4 addresses as text and as numbers. Both ways are cached, so that a packet costs no text. */
export interface AddressNames {
  nameOf(ip: number): string;
  /** Undefined for any text but an IPv4 address. */
  numberOf(address: string): number | undefined;
}

/** Addresses cached; a flood from forged ones empties the cache. */
const mostNames = 10_000;

export function createAddressNames(): AddressNames {
  const names = new Map<number, string>();
  const numbers = new Map<string, number>();
  return {
    nameOf(ip) {
      let name = names.get(ip);
      if (name === undefined) {
        if (names.size >= mostNames) names.clear();
        name = `${ip >>> 24}.${(ip >>> 16) & 255}.${(ip >>> 8) & 255}.${ip & 255}`;
        names.set(ip, name);
      }
      return name;
    },
    numberOf(address) {
      let ip = numbers.get(address);
      if (ip === undefined) {
        if (!isIPv4(address)) return undefined;
        if (numbers.size >= mostNames) numbers.clear();
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        ip = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
        numbers.set(address, ip);
      }
      return ip;
    },
  };
}
