import { BlockList, isIP } from 'node:net';

/** The networks that are open beyond the public Internet. */
export interface AddressRules {
  /** Networks of the operator, such as `10.0.0.0/8`; they override every refusal. */
  readonly allow: readonly string[];
  /** Opens loopback and private networks, for the sandbox; metadata services and link-local addresses stay closed. */
  readonly privateToo: boolean;
}

/** True when a connection to the address may be made. `address` is an IP address as `node:dns` or a URL gives it. */
export type AddressGuard = (address: string) => boolean;

/** IANA special-purpose registry of IPv4, and multicast and class E. */
const closedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Only global unicast is public (RFC 4291 §2.4); mapped, compatible and NAT64 forms lie outside it and need no entry. */
const publicIpv6 = ['2000::/3'];
/** Inside it: protocol assignments with Teredo, documentation, and 6to4, which embeds any IPv4 address. */
const closedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Addresses where clouds serve credentials. The second address of Azure is public. */
const metadata = ['169.254.169.254/32', '100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128'];
/** `::/96` contains loopback; the rest of it, NAT64, Teredo and 6to4 embed IPv4 addresses. */
const closedToAudio = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/32',
  'fe80::/10',
  'ff00::/8',
  '2001::/32',
  '2002::/16',
];
const privateNetworks = [
  '10.0.0.0/8',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
];

export function createAddressGuard({ allow, privateToo }: AddressRules): AddressGuard {
  const allowed = networks(allow);
  const never = networks(metadata);
  const opened = networks(privateToo ? privateNetworks : []);
  const closed = networks([...closedIpv4, ...closedIpv6]);
  const global = networks(publicIpv6);

  return guard((address, family) => {
    if (allowed.check(address, family)) return true;
    if (never.check(address, family)) return false;
    if (opened.check(address, family)) return true;
    return !closed.check(address, family) && (family === 'ipv4' || global.check(address, family));
  });
}

/**
 * Addresses that phones may name for their audio: private networks too, because phones are in them. Services of this machine, link-local
 * addresses, metadata services and multicast groups stay closed, as do IPv6 addresses that embed another one.
 */
export function createAudioGuard({ allow, privateToo }: AddressRules): AddressGuard {
  const allowed = networks([...allow, ...(privateToo ? ['127.0.0.0/8', '::1/128'] : [])]);
  const closed = networks([...metadata, ...closedToAudio]);
  return guard((address, family) => allowed.check(address, family) || !closed.check(address, family));
}

type Family = 'ipv4' | 'ipv6';

function guard(isOpen: (address: string, family: Family) => boolean): AddressGuard {
  return (text) => {
    const address = plainAddress(text);
    if (address === undefined) return false;
    return isOpen(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  };
}

/** RFC 4291 §2.5.5.2: a mapped address is the IPv4 address in it, which the system connects to. An address with a zone is refused. */
function plainAddress(text: string): string | undefined {
  if (isIP(text) !== 6) return isIP(text) === 4 ? text : undefined;
  if (text.includes('%')) return undefined;
  // The URL parser writes each address in one form only.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [left >> 8, left & 255, right >> 8, right & 255].join('.');
}

function networks(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits = ''] = cidr.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
