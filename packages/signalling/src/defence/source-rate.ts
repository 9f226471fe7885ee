import type { Instant } from '@jackfield/ports';

/** How fast tokens refill for a key. */
export interface RateLimits {
  readonly perSecond: number;
  /** Tokens of an idle key. */
  readonly burst: number;
  /** Keys that are remembered; the key that was idle longest is forgotten first, and starts again with a full bucket. */
  readonly maxKeys: number;
}

interface Bucket {
  tokens: number;
  at: Instant;
}

/** One token bucket for each key: constant cost, bounded memory, no scan. */
export class SourceRate {
  readonly #limits: RateLimits;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Uses a token; false when none is left. */
  take(key: string, now: Instant): boolean {
    const { perSecond, burst, maxKeys } = this.#limits;
    const known = this.#buckets.get(key);
    const bucket = known ?? { tokens: burst, at: now };
    // A Map keeps the order of insertion: its first key was idle longest.
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
