import { BlockList, isIP } from 'node:net';

/** One IPv6 customer owns at least a /64, so addresses below it are one source; mapped IPv4 addresses are IPv4. */
export function sourceOf(address: string): string {
  // Most are IPv4, which is itself.
  if (!address.includes(':')) return address;
  const mapped = mappedIpv4(address);
  if (mapped !== undefined) return mapped;
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : new Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Whether an address lies in one of these networks (`192.0.2.0/24`, or a single address). */
export function networksOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const each of networks) {
    const [address = '', bits] = each.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    if (networks.length === 0) return false;
    const plain = mappedIpv4(address) ?? address;
    const version = isIP(plain);
    return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  };
}

export const isLoopback: (address: string) => boolean = networksOf(['127.0.0.0/8', '::1']);

function mappedIpv4(address: string): string | undefined {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
}
