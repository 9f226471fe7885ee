import { lookup as askSystem, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** All addresses of a host name; rejects when there are none. */
export type LookupName = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * The `lookup` of a socket; without `lookupName` it is getaddrinfo, which holds a thread of libuv until the name servers of a name have
 * answered. An address is its own answer: node:dgram looks even these up, for every datagram.
 */
export function socketLookup(lookupName?: LookupName): LookupFunction {
  return (host, options, callback) => {
    const family = isIP(host);
    if (family !== 0) callback(null, host, family);
    else if (lookupName === undefined) askSystem(host, options, callback);
    else void answer(lookupName, host, options, callback);
  };
}

async function answer(
  lookupName: LookupName,
  host: string,
  options: LookupOptions,
  callback: Parameters<LookupFunction>[2],
): Promise<void> {
  // node:dgram passes the family alone, contrary to its types.
  const { all, family } = typeof options === 'number' ? { all: false, family: options } : options;
  const isOfFamily = (each: LookupAddress): boolean => !family || each.family === familyNumber(family);
  const found = await lookupName(host).then(
    (addresses) => addresses.filter(isOfFamily),
    (error: unknown) => error as NodeJS.ErrnoException,
  );
  // In a turn of its own: what the socket throws is none of our promise's.
  process.nextTick(() => {
    if (!Array.isArray(found)) callback(found as NodeJS.ErrnoException, '');
    else if (found[0] === undefined) callback(new Error(`${host} has no address of our family.`), '');
    else if (all) callback(null, found);
    else callback(null, found[0].address, found[0].family);
  });
}

function familyNumber(family: number | string): number {
  return family === 'IPv6' || family === 6 ? 6 : 4;
}
