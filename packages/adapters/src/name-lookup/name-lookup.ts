import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { candidatesOf, followFile, readHosts, readSearchRules } from './machine-files.ts';

/** An address of a name. */
export interface NamedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name; rejects when there are none. */
export type NameLookup = (name: string) => Promise<readonly NamedAddress[]>;

/** Options of a look-up; each default is that of the machine. */
export interface NameLookupOptions {
  readonly hostsFile?: string;
  readonly resolverFile?: string;
  /** Name servers as `address:port`. */
  readonly servers?: readonly string[];
  /** Until the first query is repeated, 1,000 ms; until the second, twice as long. */
  readonly timeoutMs?: number;
  /** The sources beyond the hosts file and DNS: getaddrinfo. */
  readonly askSystem?: NameLookup;
}

/** Three queries at 0, 1 and 3 s: the look-up ends after 7 s, as a callback waits 2 s for its connection. */
const tries = 3;
/** libuv runs two look-ups at a time in its four threads; the other one is left to the operator's names. */
const systemLookups = 1;
/** Names that wait for that thread. */
const waitingForSystem = 100;

/** The next name of the search list is asked for, after SERVFAIL too, as in glibc. */
const asksNext = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL']);
/** DNS does not know the name, or the machine has no DNS. */
const unknownToDns = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);
/** RFC 6761 §6.3. */
const loopback = ['127.0.0.1', '::1'];

/**
 * Looks names up as getaddrinfo does for `hosts: files dns`, without a thread for each name: getaddrinfo holds one until the name servers of
 * the name have answered, and libuv runs two at a time, so two dead names would cut off all others.
 */
export function createNameLookup(options: NameLookupOptions = {}): NameLookup {
  const { hostsFile = '/etc/hosts', resolverFile = '/etc/resolv.conf', servers, timeoutMs = 1_000 } = options;
  const hosts = followFile(hostsFile, readHosts);
  const dns = followFile(resolverFile, (text) => {
    // c-ares reads the file once, when the resolver is created.
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers([...servers]);
    return { resolver, rules: readSearchRules(text, hostname()) };
  });
  const askSystem = inTurn(
    options.askSystem ?? ((name) => lookup(name, { all: true, verbatim: true })),
    systemLookups,
    waitingForSystem,
  );

  return async (name) => {
    const plain = name.toLowerCase().replace(/\.$/, '');
    const known = hosts().get(plain) ?? (/(^|\.)localhost$/.test(plain) ? loopback : undefined);
    if (known !== undefined) return known.map((address) => ({ address, family: isIP(address) }));
    const { resolver, rules } = dns();
    let failure: unknown;
    let isUnknown = true;
    for (const candidate of candidatesOf(name, rules)) {
      try {
        return await addressesOf(resolver, candidate);
      } catch (error) {
        failure = error;
        const { code = '' } = error as NodeJS.ErrnoException;
        isUnknown &&= unknownToDns.has(code);
        if (!asksNext.has(code)) break;
      }
    }
    // Such as multicast DNS, a directory, or the resolvers of a VPN on macOS. A name whose servers are silent is not asked for here.
    if (isUnknown) return askSystem(name);
    throw failure;
  };
}

/** The addresses of both families; one of them may fail. */
async function addressesOf(resolver: Resolver, name: string): Promise<readonly NamedAddress[]> {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const of = (result: PromiseSettledResult<string[]>, family: number) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
  const found = isIpv6First() ? [...of(ipv6, 6), ...of(ipv4, 4)] : [...of(ipv4, 4), ...of(ipv6, 6)];
  if (found.length > 0) return found;
  const failures = [ipv4, ipv6].flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  throw failures.find(({ code }) => !asksNext.has(code)) ?? failures[0];
}

/** RFC 6724 §6: an address that the machine can have a source for comes first, and then IPv6. */
function isIpv6First(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address, internal }) => !internal && /^[23][0-9a-f]{3}:/.test(address)),
  );
}

/** Bounds how many look-ups run and wait; beyond both a name counts as unknown. */
function inTurn(ask: NameLookup, running: number, waiting: number): NameLookup {
  const queue: (() => void)[] = [];
  let count = 0;
  return async (name) => {
    if (count >= running) {
      if (queue.length >= waiting) throw new Error(`too many names wait for the system's look-up`);
      await new Promise<void>((resolve) => queue.push(resolve));
    } else count += 1;
    try {
      return await ask(name);
    } finally {
      const next = queue.shift();
      if (next === undefined) count -= 1;
      else next();
    }
  };
}
