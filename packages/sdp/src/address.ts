/** True for an IP address that media may be sent to. */
export function isUnicastAddress(address: string): boolean {
  const octets = octetsOf(address);
  if (octets !== undefined) return octets[0]! < 224;
  return isIpv6(address) && !/^ff/i.test(address);
}

/** True for the address of a hold by RFC 2543 (RFC 3264 §8.4), and for its IPv6 equivalent. */
export function isHoldAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || /\.invalid$/i.test(address);
}

/** `IP4` or `IP6`, for `c=` and `o=`. */
export function addressVersion(address: string): 4 | 6 {
  return address.includes(':') ? 6 : 4;
}

function octetsOf(address: string): readonly number[] | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return undefined;
  const octets = address.split('.').map(Number);
  return octets.every((octet) => octet < 256) ? octets : undefined;
}

/** RFC 4291 §2.2: eight groups, or fewer around one `::`; the last two may be written as IPv4. */
function isIpv6(address: string): boolean {
  let text = address;
  const lastColon = text.lastIndexOf(':');
  if (lastColon < 0) return false;
  if (text.includes('.')) {
    if (octetsOf(text.slice(lastColon + 1)) === undefined) return false;
    text = `${text.slice(0, lastColon)}:0:0`;
  }
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? groups.length <= 7 : groups.length === 8;
}
