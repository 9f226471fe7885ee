/** An entry of an address list: the network's first bits, as a number of `width` bits. */
interface Network {
  readonly width: 32 | 128;
  readonly prefix: number;
  readonly bits: bigint;
}

/** A wider network admits addresses of others: no telephone system has that many. */
const shortestPrefix = { 32: 8, 128: 16 } as const;

/** What an entry must be; undefined for a valid entry. */
export function addressProblem(entry: string): string | undefined {
  const network = parseNetwork(entry);
  if (network === undefined) return 'an IP address, or a network such as 192.0.2.0/24';
  const shortest = shortestPrefix[network.width];
  if (network.prefix < shortest)
    return `a network with a prefix of at least /${shortest}, so that it names your own addresses`;
  if (network.bits !== masked(network.bits, network)) return 'a network whose host bits are 0';
  return undefined;
}

/** Whether an entry names the address or its network; false for an address that cannot be parsed. */
export function isListed(entries: readonly string[], address: string): boolean {
  const source = parseAddress(address);
  if (source === undefined) return false;
  return entries.some((entry) => {
    const network = parseNetwork(entry);
    return network?.width === source.width && masked(source.bits, network) === network.bits;
  });
}

function masked(bits: bigint, { width, prefix }: Pick<Network, 'width' | 'prefix'>): bigint {
  const host = BigInt(width - prefix);
  return (bits >> host) << host;
}

function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...more] = text.split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined || more.length > 0) return undefined;
  if (prefix === undefined) return { ...parsed, prefix: parsed.width };
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(prefix) || Number(prefix) > parsed.width) return undefined;
  return { ...parsed, prefix: Number(prefix) };
}

const v4InV6 = 0xffffn << 32n;

function parseAddress(text: string): { readonly width: 32 | 128; readonly bits: bigint } | undefined {
  const v4 = parseV4(text);
  if (v4 !== undefined) return { width: 32, bits: v4 };
  const v6 = parseV6(text);
  if (v6 === undefined) return undefined;
  // RFC 4291 §2.5.5.2: the form in which a socket of both families shows an IPv4 peer.
  return v6 >> 32n === v4InV6 >> 32n ? { width: 32, bits: v6 & 0xffff_ffffn } : { width: 128, bits: v6 };
}

function parseV4(text: string): bigint | undefined {
  const octets = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (octets === null) return undefined;
  let bits = 0n;
  for (const octet of octets.slice(1)) {
    // Some parsers read a leading zero as octal: such an address is ambiguous.
    if (Number(octet) > 255 || (octet.length > 1 && octet.startsWith('0'))) return undefined;
    bits = (bits << 8n) | BigInt(octet);
  }
  return bits;
}

/** RFC 4291 §2.2: eight groups, one run of zeros left out, the last two perhaps as IPv4. */
function parseV6(text: string): bigint | undefined {
  if (text.length > 45 || !text.includes(':')) return undefined;
  const halves = text.split('::');
  // An IPv4 address may stand at the very end only.
  if (halves.length > 2 || (halves.length === 2 && halves[0]?.includes('.'))) return undefined;
  const [head, tail] = halves.map(groupsOf);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<bigint>(Math.max(0, missing)).fill(0n), ...(tail ?? [])];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

function groupsOf(text: string): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else {
      const v4 = at === parts.length - 1 ? parseV4(part) : undefined;
      if (v4 === undefined) return undefined;
      groups.push(v4 >> 16n, v4 & 0xffffn);
    }
  }
  return groups;
}
