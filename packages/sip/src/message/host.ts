const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9\-_.]*[A-Za-z0-9.])?$/;
const IPV6_REFERENCE = /^\[([0-9A-Fa-f:.]{2,45})(?:%[A-Za-z0-9\-._~]{1,32})?\]$/;
const IPV4 = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;

/** Whether a text is a `host` of a URI or Via: a name, an IPv4 address, or an IPv6 address in brackets. */
export function isHost(text: string): boolean {
  if (text.length > 255) return false;
  if (text.charCodeAt(0) !== 0x5b) return HOST_NAME.test(text);
  const address = IPV6_REFERENCE.exec(text)?.[1];
  return address !== undefined && isIpv6(withoutThirdColon(address));
}

/** A host for a socket: an IPv6 reference without its brackets and without the third colon of RFC 5118 §4.10. */
export function addressOfHost(host: string): string {
  return host.charCodeAt(0) === 0x5b ? withoutThirdColon(host.slice(1, -1)) : host;
}

/** An address for SIP text: an IPv6 address in brackets (RFC 3261 §25.1 `IPv6reference`). */
export function hostOfAddress(address: string): string {
  return address.includes(':') && address.charCodeAt(0) !== 0x5b ? `[${address}]` : address;
}

/** Position of the colon before the port in `host[:port]`, or -1; colons of an IPv6 reference do not count. */
export function portColon(text: string): number {
  return text.indexOf(':', text.charCodeAt(0) === 0x5b ? text.indexOf(']') + 1 : 0);
}

/** RFC 5118 §4.10: the grammar of RFC 3261 allows a meaningless third colon before an IPv4 address. */
function withoutThirdColon(address: string): string {
  return address.replace(/:::(?=[0-9]{1,3}\.)/, '::');
}

/** RFC 4291 §2.2: eight groups of hexadecimal digits, `::` once for zero groups, the last two optionally as IPv4. */
function isIpv6(address: string): boolean {
  const halves = address.split('::');
  if (halves.length > 2) return false;
  let count = 0;
  for (let half = 0; half < halves.length; half += 1) {
    if (halves[half] === '') continue;
    const groups = halves[half]!.split(':');
    for (let index = 0; index < groups.length; index += 1) {
      const isLast = half === halves.length - 1 && index === groups.length - 1;
      if (GROUP.test(groups[index]!)) count += 1;
      else if (isLast && IPV4.test(groups[index]!)) count += 2;
      else return false;
    }
  }
  return halves.length === 2 ? count < 8 : count === 8;
}
