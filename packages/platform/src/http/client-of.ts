import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networksOf } from '@jackfield/ports';

/** The client of a request, as the proxies before us name it. */
export interface NamedClient {
  readonly address: string;
  /** Whether it spoke TLS with the proxy. */
  readonly isEncrypted: boolean;
}

/**
 * Reads the client of a request from X-Forwarded-For and X-Forwarded-Proto of proxies in these networks: the last address that is no proxy.
 * Undefined for a request that came from elsewhere, or whose proxy names no client.
 */
export function clientNamedBy(
  proxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => NamedClient | undefined {
  const isProxy = networksOf(proxies);
  return ({ headers, socket }) => {
    if (!isProxy(socket.remoteAddress ?? '')) return undefined;
    // Each proxy adds the address that it saw at the end; what the client wrote itself stands before.
    const named = listOf(headers['x-forwarded-for']);
    const address = named.findLast((each) => !isProxy(each)) ?? named[0];
    if (address === undefined || isIP(address) === 0) return undefined;
    return { address, isEncrypted: listOf(headers['x-forwarded-proto']).at(-1) === 'https' };
  };
}

function listOf(header: string | readonly string[] | undefined): readonly string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
