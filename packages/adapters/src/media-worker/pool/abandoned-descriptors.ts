import { readdir, readlink } from 'node:fs/promises';
import { ADDRESS_BYTES, AF_INET } from '../socket-address.ts';
import { loadSystemCalls, SO_TIMESTAMPNS, SOL_SOCKET, type SystemCalls } from '../system-calls.ts';

const SO_TYPE = 3;
const SOCK_DGRAM = 2;
const descriptors = '/proc/self/fd';

/**
 * Closes the descriptors that a dead media thread has left open: Node does not know sockets of system calls. A socket is one of media if it is a UDP
 * socket with timestamps of the kernel on such a port; no other part of the process opens one. `poll` is the thread's epoll.
 */
export async function closeAbandoned(
  isAbandoned: (port: number) => boolean,
  poll: number | undefined,
): Promise<void> {
  const calls = await loadSystemCalls();
  if (calls === undefined) return;
  for (const name of await readdir(descriptors)) {
    const fd = Number(name);
    const target = await readlink(`${descriptors}/${name}`).catch(() => '');
    const port = target.startsWith('socket:') ? mediaPortOf(calls, fd) : undefined;
    const isPoll = fd === poll && target === 'anon_inode:[eventpoll]';
    if (isPoll || (port !== undefined && isAbandoned(port))) calls.close(fd);
  }
}

function mediaPortOf(calls: SystemCalls, fd: number): number | undefined {
  if (option(calls, fd, SO_TYPE) !== SOCK_DGRAM || option(calls, fd, SO_TIMESTAMPNS) !== 1) return undefined;
  const address = new Uint8Array(ADDRESS_BYTES);
  const length = new Uint8Array(Uint32Array.of(address.length).buffer);
  if (calls.socketName(fd, address, length) !== 0 || address[0] !== AF_INET) return undefined;
  return address[2]! * 256 + address[3]!;
}

function option(calls: SystemCalls, fd: number, name: number): number | undefined {
  const value = new Uint8Array(4);
  const length = new Uint8Array(Uint32Array.of(value.length).buffer);
  if (calls.readSocketOption(fd, SOL_SOCKET, name, value, length) !== 0) return undefined;
  return new DataView(value.buffer).getUint32(0, true);
}
