/** RFC 4291 §2.5.5.2: `::ffff:192.0.2.1` is an IPv4 address. */
const mappedPrefix = [0, 0, 0, 0, 0, 0xffff, 0, 0];
const mappedBits = 96;

/** One IPv6 customer owns at least a /64, so addresses below it are one source; mapped IPv4 addresses are IPv4. */
export function sourceOf(address: string): string {
  // The usual case: an IPv4 address is its own source.
  if (!address.includes(':')) return address;
  const groups = ipv6(address);
  if (groups === undefined) return address;
  const number = mappedIpv4(groups);
  if (number !== undefined) return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.');
  const upper = groups.slice(0, 4).map((group) => group.toString(16));
  return `${upper.join(':')}::/64`;
}

/** Whether an address lies in one of these networks (`192.0.2.0/24`, or a single address). Throws for a malformed network. */
export function networksOf(networks: readonly string[]): (address: string) => boolean {
  const ofIpv4: { base: number; span: number }[] = [];
  const ofIpv6: Ipv6Network[] = [];
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const number = ipv4(address);
    const groups = number === undefined ? ipv6(address) : undefined;
    const width = number === undefined ? 128 : 32;
    const kept = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if ((number === undefined && groups === undefined) || kept < 0 || kept > width) {
      throw new RangeError(`'${network}' is no network: an address, or one with / and its leading bits`);
    }
    if (groups !== undefined) ofIpv6.push({ groups, bits: kept });
    const inIpv4 = groups === undefined ? { number, bits: kept } : ipv4Within({ groups, bits: kept });
    if (inIpv4?.number === undefined) continue;
    const span = 2 ** (32 - inIpv4.bits);
    ofIpv4.push({ base: Math.floor(inIpv4.number / span), span });
  }
  if (networks.length === 0) return () => false;
  const hasIpv4 = (number: number): boolean => {
    for (const { base, span } of ofIpv4) if (Math.floor(number / span) === base) return true;
    return false;
  };
  return (address) => {
    const number = ipv4(address);
    if (number !== undefined) return hasIpv4(number);
    const groups = ipv6(address);
    if (groups === undefined) return false;
    const mapped = mappedIpv4(groups);
    return mapped === undefined ? ofIpv6.some((each) => holds(each, groups)) : hasIpv4(mapped);
  };
}

/** Whether an address is this machine itself (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export const isLoopback: (address: string) => boolean = networksOf(['127.0.0.0/8', '::1']);

interface Ipv6Network {
  readonly groups: readonly number[];
  readonly bits: number;
}

function holds(network: Ipv6Network, address: readonly number[]): boolean {
  for (let index = 0, left = network.bits; left > 0; index++, left -= 16) {
    const span = left >= 16 ? 1 : 2 ** (16 - left);
    if (Math.floor(network.groups[index]! / span) !== Math.floor(address[index]! / span)) return false;
  }
  return true;
}

function mappedIpv4(groups: readonly number[]): number | undefined {
  if (!holds({ groups: mappedPrefix, bits: mappedBits }, groups)) return undefined;
  return groups[6]! * 65536 + groups[7]!;
}

/** The IPv4 addresses whose mapped form is in an IPv6 network. */
function ipv4Within(network: Ipv6Network): { readonly number: number; readonly bits: number } | undefined {
  if (network.bits <= mappedBits) return holds(network, mappedPrefix) ? { number: 0, bits: 0 } : undefined;
  const number = mappedIpv4(network.groups);
  return number === undefined ? undefined : { number, bits: network.bits - mappedBits };
}

/** The four decimal bytes as one number, or undefined for any other text. Allocates nothing: it runs for every packet. */
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
      // Some parsers read a leading zero as octal.
      if (code < 48 || code > 57 || byte === 0) return undefined;
      byte = (byte < 0 ? 0 : byte * 10) + code - 48;
      if (byte > 255) return undefined;
    }
  }
  return dots === 3 && byte >= 0 ? address * 256 + byte : undefined;
}

/** A zone as Node reads it; RFC 4007 §11.2 demands one behind each `%`. */
const zoneShape = /^[0-9a-z.:-]+$/i;

/** The eight groups (RFC 4291 §2.2), without the zone; undefined for any other text. */
function ipv6(text: string): readonly number[] | undefined {
  const percent = text.indexOf('%');
  if (percent >= 0 && !zoneShape.test(text.slice(percent + 1))) return undefined;
  const address = percent < 0 ? text : text.slice(0, percent);
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
