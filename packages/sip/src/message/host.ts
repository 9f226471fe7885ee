const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9\-_.]*[A-Za-z0-9.])?$/;
const IPV6_REFERENCE = /^\[[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9\-._~]{1,32})?\]$/;

/** Whether a text can stand as `host` of a URI or Via: a name, an IPv4 address, or an IPv6 address in brackets. */
export function isHost(text: string): boolean {
  if (text.length > 255) return false;
  return text.charCodeAt(0) === 0x5b ? IPV6_REFERENCE.test(text) : HOST_NAME.test(text);
}

/** A host as a socket wants it: an IPv6 reference loses its brackets. */
export function addressOfHost(host: string): string {
  return host.charCodeAt(0) === 0x5b ? host.slice(1, -1) : host;
}

/** An address as SIP text wants it: an IPv6 address gets its brackets (RFC 3261 §25.1 `IPv6reference`). */
export function hostOfAddress(address: string): string {
  return address.includes(':') && address.charCodeAt(0) !== 0x5b ? `[${address}]` : address;
}

/** Position of the colon before the port in `host[:port]`, or -1; colons of an IPv6 reference do not count. */
export function portColon(text: string): number {
  return text.indexOf(':', text.charCodeAt(0) === 0x5b ? text.indexOf(']') + 1 : 0);
}
