import type { SystemCalls } from './system-calls.ts';

const AF_INET = 2;
/** SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC. */
const UDP_SOCKET = 2 | 0x800 | 0x80000;
const ADDRESS_BYTES = 16;

/** Binds a UDP socket to an IPv4 address, given as a number, and returns its descriptor; throws the reason why it cannot. */
export function bindUdp(calls: SystemCalls, ip: number, port: number): number {
  const fd = calls.socket(AF_INET, UDP_SOCKET, 0);
  if (fd < 0) throw new Error('the system has no free socket');
  const local = new Uint8Array(ADDRESS_BYTES);
  const view = new DataView(local.buffer);
  view.setUint16(0, AF_INET, true);
  view.setUint16(2, port);
  view.setUint32(4, ip);
  if (calls.bind(fd, local, ADDRESS_BYTES) === 0) return fd;
  calls.close(fd);
  throw new Error('another program uses it, or the address is not one of this machine');
}
