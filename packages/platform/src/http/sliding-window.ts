import type { Instant } from '@jackfield/ports';
export interface WindowLimits {
  /** Events that one key may have in any window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Keys that are remembered; the key that was longest without an event is forgotten first. */
  readonly maxKeys: number;
}

export interface WindowState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Milliseconds until the oldest counted event leaves the window; 0 when none is counted. */
  readonly resetMs: number;
}

interface Counted {
  /** Instants of the last `limit` events, as a ring. */
  readonly ring: Float64Array;
  oldest: number;
  size: number;
}

/** Counts events per key exactly: never more than `limit` in any stretch of `windowMs`. Constant cost per event. */
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
      counted.ring[(counted.oldest + counted.size) % limit] = now;
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
    const { limit, windowMs } = this.#limits;
    while (counted.size > 0 && counted.ring[counted.oldest]! <= now - windowMs) {
      counted.oldest = (counted.oldest + 1) % limit;
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
      counted = { ring: new Float64Array(this.#limits.limit), oldest: 0, size: 0 };
    }
    this.#keys.set(key, counted);
    return counted;
  }
}
