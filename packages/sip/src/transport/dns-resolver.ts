import { Resolver } from 'node:dns/promises';
import type { DnsAnswer, DnsQuery } from '../locate/dns-records.ts';
import type { LookupName } from './socket-lookup.ts';

/** Answers DNS queries. */
export interface DnsResolver {
  /** Never rejects: a failed query is an answer too. */
  resolve(query: DnsQuery): Promise<DnsAnswer>;
}

/** Options of a resolver. */
export interface DnsResolverOptions {
  /** `address` or `address:port`; by default those of the machine. */
  readonly servers?: readonly string[];
  /** For each of two attempts, 2,000 ms. */
  readonly timeoutMs?: number;
  /** Looks up host names for which DNS has no address, such as those of /etc/hosts; without it they have none. */
  readonly lookup?: LookupName;
}

/** Node gives the time to live of addresses only. */
const SRV_TTL_MS = 60_000;
const MACHINE_TTL_MS = 30_000;

/** A resolver over node:dns. */
export function createDnsResolver(options: DnsResolverOptions = {}): DnsResolver {
  const { servers, timeoutMs = 2_000, lookup } = options;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers([...servers]);

  const query = async ({ type, name }: DnsQuery): Promise<DnsAnswer> => {
    switch (type) {
      case 'NAPTR':
        return { type, records: await resolver.resolveNaptr(name), ttlMs: SRV_TTL_MS };
      case 'SRV': {
        const found = await resolver.resolveSrv(name);
        const records = found.map(({ priority, weight, port, name: target }) => ({
          priority,
          weight,
          port,
          target,
        }));
        return { type, records, ttlMs: SRV_TTL_MS };
      }
      case 'A':
      case 'AAAA': {
        const found = await (type === 'A'
          ? resolver.resolve4(name, { ttl: true })
          : resolver.resolve6(name, { ttl: true }));
        const ttlMs = Math.min(...found.map(({ ttl }) => ttl)) * 1_000;
        return { type, records: found.map(({ address }) => address), ttlMs };
      }
    }
  };

  const fromMachine = async ({ type, name }: DnsQuery, answer: DnsAnswer): Promise<DnsAnswer> => {
    if (lookup === undefined || (type !== 'A' && type !== 'AAAA')) return answer;
    try {
      const family = type === 'A' ? 4 : 6;
      const found = (await lookup(name)).filter((each) => each.family === family);
      if (found.length === 0) return answer;
      return { type, records: found.map(({ address }) => address), ttlMs: MACHINE_TTL_MS };
    } catch {
      return answer;
    }
  };

  return {
    async resolve(request) {
      try {
        return await query(request);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        const isNothing = code === 'ENOTFOUND' || code === 'ENODATA';
        const nothing = { type: request.type, records: [], ttlMs: 0 } as DnsAnswer;
        return fromMachine(request, isNothing ? nothing : { type: 'failed' });
      }
    },
  };
}
