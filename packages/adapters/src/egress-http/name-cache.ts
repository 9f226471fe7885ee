import type { Resolve, ResolvedAddress } from './egress-target.ts';

interface Kept {
  readonly until: number;
  readonly addresses: Promise<readonly ResolvedAddress[]>;
}

/**
 * Keeps what a name stands for, for a short while. What is kept is checked again for each request, and connections go to
 * what was checked, so a name that is bound anew in between changes nothing.
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
    // Failures are not kept: a name may be there in a moment.
    addresses.catch(() => {
      if (kept.get(name)?.addresses === addresses) kept.delete(name);
    });
    return addresses;
  };
}
