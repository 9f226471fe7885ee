import { ADDRESS_BYTES, AF_INET, writeSocketAddress } from './socket-address.ts';
import { SO_TIMESTAMPNS, SOL_SOCKET, type SystemCalls } from './system-calls.ts';

/** SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC. */
const UDP_SOCKET = 2 | 0x800 | 0x80000;

/** Reused: the memory of a small array moves out of the heap, which costs 1 µs, when its address is first needed. */
const local = new Uint8Array(ADDRESS_BYTES);
const on = Uint8Array.of(1, 0, 0, 0);

/** Binds a UDP socket to an IPv4 address, given as a number, and returns its descriptor; throws the reason why it cannot. */
export function bindUdp(calls: SystemCalls, ip: number, port: number): number {
  const fd = calls.socket(AF_INET, UDP_SOCKET, 0);
  if (fd < 0) throw new Error('the system has no free socket');
  writeSocketAddress(local, ip, port);
  if (calls.bind(fd, local, ADDRESS_BYTES) === 0) return fd;
  calls.close(fd);
  throw new Error('another program uses it, or the address is not one of this machine');
}

/** Binds a socket whose packets the kernel timestamps on arrival, so that a late read loses nothing. */
export function bindStampedUdp(calls: SystemCalls, ip: number, port: number): number {
  const fd = bindUdp(calls, ip, port);
  calls.setSocketOption(fd, SOL_SOCKET, SO_TIMESTAMPNS, on, on.length);
  return fd;
}
