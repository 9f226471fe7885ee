import type { Instant } from '@jackfield/ports';

/** Flows on which a sender has authenticated, for a time; the oldest is forgotten first. */
export class KnownFlows {
  readonly #keepMs: number;
  readonly #maxFlows: number;
  readonly #until = new Map<string, Instant>();

  constructor(limits: { readonly keepMs: number; readonly maxFlows: number }) {
    this.#keepMs = limits.keepMs;
    this.#maxFlows = limits.maxFlows;
  }

  get size(): number {
    return this.#until.size;
  }

  add(flow: string, now: Instant): void {
    if (!this.#until.delete(flow) && this.#until.size >= this.#maxFlows) {
      this.#until.delete(this.#until.keys().next().value!);
    }
    this.#until.set(flow, now + this.#keepMs);
  }

  has(flow: string, now: Instant): boolean {
    const until = this.#until.get(flow);
    return until !== undefined && now < until;
  }

  remove(flow: string): void {
    this.#until.delete(flow);
  }
}

/** The key of a source that was admitted by its address alone. */
export function listedSource(source: string): string {
  return `listed ${source}`;
}
