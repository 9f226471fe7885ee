import { spawnSync } from 'node:child_process';
import koffi from 'koffi';
import { missing } from './installed.ts';

/** linux/sched.h. */
const CLONE_NEWNET = 0x4000_0000;

/** A unique local address (RFC 4193), which no machine routes. */
const address = 'fd6a:6163:6b66::1';

/**
 * Moves this process, and the programs that it starts from now on, into a network of its own with loopback and this IPv6 address. A test file
 * has its process to itself, so no other test sees the change of the network. To be called before the first socket; where the kernel or the
 * user allows none, the reason why.
 */
export function enterOwnNetwork(): { readonly ipv6: string } | { readonly reason: string } {
  const absent = missing('ip');
  if (absent !== false) return { reason: absent };
  if (process.platform !== 'linux') return { reason: 'network namespaces are Linux’s' };
  if (koffi.load('libc.so.6').func('int unshare(int)')(CLONE_NEWNET) !== 0) {
    return { reason: 'this user may make no network namespace (CI runs as root)' };
  }
  // A pair of virtual Ethernet devices: kernels have it that lack the dummy device.
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'own', 'type', 'veth', 'peer', 'name', 'other');
  // Duplicate address detection would hold it back for a second.
  ip('-6', 'address', 'add', `${address}/64`, 'dev', 'own', 'nodad');
  ip('link', 'set', 'own', 'up');
  ip('link', 'set', 'other', 'up');
  return { ipv6: address };
}

/** Fails unless `ip` succeeds with these words. */
export function ip(...words: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr.trim()}`);
}
