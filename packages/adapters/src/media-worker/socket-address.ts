/*
 * Linux:
 *
 *   sockaddr_in (16):    0 family (the machine's order)  2 port (network order)  4 address (network order)  8 zeros
 */
export const AF_INET = 2;
export const ADDRESS_BYTES = 16;

/** Fills a sockaddr_in; `ip` is the IPv4 address as a number. */
export function writeSocketAddress(into: Uint8Array, ip: number, port: number): void {
  into[0] = AF_INET;
  into[1] = 0;
  into[2] = port >>> 8;
  into[3] = port;
  into[4] = ip >>> 24;
  into[5] = ip >>> 16;
  into[6] = ip >>> 8;
  into[7] = ip;
}
