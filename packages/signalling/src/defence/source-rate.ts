import type { Instant } from '@jackfield/ports';

/** How fast a key may take tokens. */
export interface RateLimits {
  readonly perSecond: number;
  /** Tokens that wait for a key that rested. */
  readonly burst: number;
  /** Keys that are remembered; the one that rested longest is forgotten first, and begins anew with a full bucket. */
  readonly maxKeys: number;
}

interface Bucket {
  tokens: number;
  at: Instant;
}

/** A bucket of tokens for each key: constant cost, bounded memory, no scan. */
export class SourceRate {
  readonly #limits: RateLimits;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Whether there was a token left. */
  take(key: string, now: Instant): boolean {
    const { perSecond, burst, maxKeys } = this.#limits;
    const known = this.#buckets.get(key);
    const bucket = known ?? { tokens: burst, at: now };
    // A Map keeps the order of insertion: its first key is the one that has rested longest.
    if (known !== undefined) this.#buckets.delete(key);
    else if (this.#buckets.size >= maxKeys) this.#buckets.delete(this.#buckets.keys().next().value!);
    this.#buckets.set(key, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) * perSecond) / 1000);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  forget(key: string): void {
    this.#buckets.delete(key);
  }
}
