import type { Instant } from '@jackfield/ports';
import { SourceRate } from './source-rate.ts';

/** When a source is banned, and for how long. */
export interface BanLimits {
  /** Failures within a minute after which a source is banned. */
  readonly failures: number;
  /** How long nothing of it is looked at; 0 bans nobody. */
  readonly banMs: number;
  /** Sources that are banned, and sources whose failures are counted; the oldest is forgotten first. */
  readonly maxSources: number;
}

/** Sources that nothing is heard of for a time. Whoever counts a failure makes sure that its source was not forged. */
export class BanList {
  readonly #limits: BanLimits;
  readonly #failures: SourceRate;
  readonly #until = new Map<string, Instant>();

  constructor(limits: BanLimits) {
    this.#limits = limits;
    const { failures, maxSources } = limits;
    this.#failures = new SourceRate({ perSecond: failures / 60, burst: failures, maxKeys: maxSources });
  }

  /** Sources on the list; those whose time is over leave it when they are asked for, or when there is no room. */
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

  /** Bans a source at once; false when nobody is banned here, or it is already. */
  ban(source: string, now: Instant): boolean {
    const { banMs, maxSources } = this.#limits;
    if (banMs === 0 || this.isBanned(source, now)) return false;
    // The ban begins with a clean slate: whoever comes back after it may be somebody else.
    this.#failures.forget(source);
    // All last equally long, so the first is the one that ends first.
    if (this.#until.size >= maxSources) this.#until.delete(this.#until.keys().next().value!);
    this.#until.set(source, now + banMs);
    return true;
  }
}
