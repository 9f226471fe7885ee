const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** One IPv6 customer owns at least a /64, so addresses below it are one source; mapped IPv4 addresses are IPv4. */
export function sourceOf(address: string): string {
  // Most are IPv4, which is itself.
  if (!address.includes(':')) return address;
  const groups = ipv6(plain(address));
  if (groups === undefined) return mapped.exec(address)?.[1] ?? address;
  const upper = groups.slice(0, 4).map((group) => group.toString(16));
  return `${upper.join(':')}::/64`;
}

/** Whether an address lies in one of these networks (`192.0.2.0/24`, or a single address). Throws for what is no network. */
export function networksOf(networks: readonly string[]): (address: string) => boolean {
  const ofIpv4: { base: number; span: number }[] = [];
  const ofIpv6: { groups: readonly number[]; bits: number }[] = [];
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const base = ipv4(address);
    const groups = base === undefined ? ipv6(address) : undefined;
    const width = base === undefined ? 128 : 32;
    const kept = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if ((base === undefined && groups === undefined) || kept < 0 || kept > width) {
      throw new RangeError(`'${network}' is no network: an address, or one with / and its leading bits`);
    }
    const span = 2 ** (32 - kept);
    if (base !== undefined) ofIpv4.push({ base: Math.floor(base / span), span });
    else if (groups !== undefined) ofIpv6.push({ groups, bits: kept });
  }
  if (networks.length === 0) return () => false;
  return (address) => {
    const unmapped = plain(address);
    const number = ipv4(unmapped);
    if (number !== undefined) {
      for (const { base, span } of ofIpv4) if (Math.floor(number / span) === base) return true;
      return false;
    }
    const groups = ofIpv6.length === 0 ? undefined : ipv6(unmapped);
    return groups !== undefined && ofIpv6.some((each) => agree(each.groups, groups, each.bits));
  };
}

/** Whether an address is this machine itself (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export const isLoopback: (address: string) => boolean = networksOf(['127.0.0.0/8', '::1']);

function agree(network: readonly number[], address: readonly number[], bits: number): boolean {
  for (let index = 0, left = bits; left > 0; index++, left -= 16) {
    const span = left >= 16 ? 1 : 2 ** (16 - left);
    if (Math.floor(network[index]! / span) !== Math.floor(address[index]! / span)) return false;
  }
  return true;
}

/** An IPv4 address that was mapped into IPv6 (RFC 4291 §2.5.5.2) as IPv4, every other text as it is. */
function plain(address: string): string {
  if (!address.startsWith(':')) return address;
  const found = mapped.exec(address)?.[1];
  return found !== undefined && ipv4(found) !== undefined ? found : address;
}

/** The four decimal bytes as one number, or undefined for what is no IPv4 address. Allocates nothing: it is asked for packets. */
function ipv4(text: string): number | undefined {
  let address = 0;
  let byte = -1;
  let dots = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 46) {
      if (byte < 0 || ++dots > 3) return undefined;
      address = address * 256 + byte;
      byte = -1;
    } else {
      // A leading zero would be octal to some readers.
      if (code < 48 || code > 57 || byte === 0) return undefined;
      byte = (byte < 0 ? 0 : byte * 10) + code - 48;
      if (byte > 255) return undefined;
    }
  }
  return dots === 3 && byte >= 0 ? address * 256 + byte : undefined;
}

/** The eight groups (RFC 4291 §2.2), without the zone; undefined for what is no IPv6 address. */
function ipv6(text: string): readonly number[] | undefined {
  const address = text.split('%')[0] ?? '';
  const halves = address.split('::');
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  if (left === undefined) return undefined;
  if (halves.length === 1) return left.length === 8 ? left : undefined;
  if (right === undefined || left.length + right.length > 7) return undefined;
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/** The last two groups of an address may be written as IPv4. */
function groupsOf(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const words = text.split(':');
  const groups: number[] = [];
  for (const [index, word] of words.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(word)) {
      groups.push(Number.parseInt(word, 16));
      continue;
    }
    const number = isLast && index === words.length - 1 ? ipv4(word) : undefined;
    if (number === undefined) return undefined;
    groups.push(Math.floor(number / 65536), number % 65536);
  }
  return groups;
}
