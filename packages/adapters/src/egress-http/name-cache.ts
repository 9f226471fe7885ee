import type { Resolve, ResolvedAddress } from './egress-target.ts';

interface Kept {
  /** Infinity until the look-up has ended. */
  until: number;
  readonly addresses: Promise<readonly ResolvedAddress[]>;
}

/**
 * Caches the addresses of a name for a short time; requests share a look-up that has not ended. Cached addresses are checked again for
 * each request, and connections use only checked ones, so a name that is rebound in between has no effect.
 */
export function createNameCache(resolve: Resolve, ttlMs: number, maxNames = 10_000): Resolve {
  const kept = new Map<string, Kept>();

  return (name) => {
    const known = kept.get(name);
    if (known !== undefined && known.until > performance.now()) return known.addresses;
    const addresses = resolve(name);
    const entry: Kept = { until: Number.POSITIVE_INFINITY, addresses };
    kept.delete(name);
    kept.set(name, entry);
    if (kept.size > maxNames) kept.delete(kept.keys().next().value!);
    addresses.then(
      () => {
        entry.until = performance.now() + ttlMs;
      },
      // Failures are not cached: the name may resolve a moment later.
      () => {
        if (kept.get(name) === entry) kept.delete(name);
      },
    );
    return addresses;
  };
}
