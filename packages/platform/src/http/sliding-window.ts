import type { Instant } from '@jackfield/ports';
export interface WindowLimits {
  /** Events that one key may have in any window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Keys that are kept; the key that was longest without an event is dropped first. */
  readonly maxKeys: number;
}

export interface WindowState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Milliseconds until the oldest counted event leaves the window; 0 when none is counted. */
  readonly resetMs: number;
}

interface Counted {
  /** Instants of the counted events, as a ring. It doubles when it is full, up to `limit`: few keys come near a large limit. */
  ring: Float64Array<ArrayBuffer>;
  oldest: number;
  size: number;
}

const firstRingSize = 16;

/** Counts events per key exactly: never more than `limit` in any stretch of `windowMs`. Constant cost per event, averaged over events. */
export class SlidingWindow {
  readonly #limits: WindowLimits;
  readonly #keys = new Map<string, Counted>();

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  get keys(): number {
    return this.#keys.size;
  }

  /** Counts an event within the limit. */
  take(key: string, now: Instant): WindowState {
    const counted = this.#touch(key);
    this.#forget(counted, now);
    const { limit } = this.#limits;
    const allowed = counted.size < limit;
    if (allowed) {
      if (counted.size === counted.ring.length) grow(counted, limit);
      counted.ring[(counted.oldest + counted.size) % counted.ring.length] = now;
      counted.size += 1;
    }
    return this.#stateOf(counted, allowed, now);
  }

  /** The result of `take`, without counting. */
  look(key: string, now: Instant): WindowState {
    const counted = this.#keys.get(key);
    if (counted === undefined) return { allowed: true, remaining: this.#limits.limit, resetMs: 0 };
    this.#forget(counted, now);
    return this.#stateOf(counted, counted.size < this.#limits.limit, now);
  }

  #stateOf(counted: Counted, allowed: boolean, now: Instant): WindowState {
    const resetMs =
      counted.size === 0 ? 0 : Math.max(0, counted.ring[counted.oldest]! + this.#limits.windowMs - now);
    return { allowed, remaining: this.#limits.limit - counted.size, resetMs };
  }

  #forget(counted: Counted, now: Instant): void {
    const { windowMs } = this.#limits;
    while (counted.size > 0 && counted.ring[counted.oldest]! <= now - windowMs) {
      counted.oldest = (counted.oldest + 1) % counted.ring.length;
      counted.size -= 1;
    }
  }

  // A Map keeps the order of insertion, so its first key was longest without an event.
  #touch(key: string): Counted {
    let counted = this.#keys.get(key);
    if (counted !== undefined) {
      this.#keys.delete(key);
    } else {
      if (this.#keys.size >= this.#limits.maxKeys) this.#keys.delete(this.#keys.keys().next().value!);
      const ring = new Float64Array(Math.min(firstRingSize, this.#limits.limit));
      counted = { ring, oldest: 0, size: 0 };
    }
    this.#keys.set(key, counted);
    return counted;
  }
}

/** Doubles a full ring, the oldest event first. */
function grow(counted: Counted, limit: number): void {
  const { ring, oldest } = counted;
  const larger = new Float64Array(Math.min(2 * ring.length, limit));
  larger.set(ring.subarray(oldest));
  larger.set(ring.subarray(0, oldest), ring.length - oldest);
  counted.ring = larger;
  counted.oldest = 0;
}
