import type { Resolve, ResolvedAddress } from './egress-target.ts';

interface Kept {
  readonly until: number;
  readonly addresses: Promise<readonly ResolvedAddress[]>;
}

/**
 * Caches the addresses of a name for a short time. Cached addresses are checked again for each request, and connections use only checked
 * ones, so a name that is rebound in between has no effect.
 */
export function createNameCache(resolve: Resolve, ttlMs: number, maxNames = 10_000): Resolve {
  const kept = new Map<string, Kept>();

  return (name) => {
    const now = performance.now();
    const known = kept.get(name);
    if (known !== undefined && known.until > now) return known.addresses;
    const addresses = resolve(name);
    kept.delete(name);
    kept.set(name, { until: now + ttlMs, addresses });
    if (kept.size > maxNames) kept.delete(kept.keys().next().value!);
    // Failures are not cached: the name may resolve a moment later.
    addresses.catch(() => {
      if (kept.get(name)?.addresses === addresses) kept.delete(name);
    });
    return addresses;
  };
}
