import type { Instant } from '@jackfield/ports';
import { SourceRate } from './source-rate.ts';

/** The threshold and the length of a ban. */
export interface BanLimits {
  /** Failures within a minute after which a source is banned. */
  readonly failures: number;
  /** Length of a ban in milliseconds; 0 disables bans. */
  readonly banMs: number;
  /** Sources that are banned or whose failures are counted; the oldest is forgotten first. */
  readonly maxSources: number;
}

/** Sources whose packets are dropped for a time. The caller verifies that the source of a failure was not forged. */
export class BanList {
  readonly #limits: BanLimits;
  readonly #failures: SourceRate;
  readonly #until = new Map<string, Instant>();

  constructor(limits: BanLimits) {
    this.#limits = limits;
    const { failures, maxSources } = limits;
    this.#failures = new SourceRate({ perSecond: failures / 60, burst: failures, maxKeys: maxSources });
  }

  /** Sources on the list; an expired one leaves it at its next lookup, or when the list is full. */
  get size(): number {
    return this.#until.size;
  }

  isBanned(source: string, now: Instant): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(source);
    if (until === undefined) return false;
    if (now < until) return true;
    this.#until.delete(source);
    return false;
  }

  /** Counts a failure; true when the source is banned for it. */
  failed(source: string, now: Instant): boolean {
    if (this.isBanned(source, now) || this.#failures.take(source, now)) return false;
    return this.ban(source, now);
  }

  /** Bans a source at once; false when bans are disabled or the source is already banned. */
  ban(source: string, now: Instant): boolean {
    const { banMs, maxSources } = this.#limits;
    if (banMs === 0 || this.isBanned(source, now)) return false;
    // The failures restart at zero: after the ban another party may use the address.
    this.#failures.forget(source);
    // All bans last equally long, so the first entry ends first.
    if (this.#until.size >= maxSources) this.#until.delete(this.#until.keys().next().value!);
    this.#until.set(source, now + banMs);
    return true;
  }
}
