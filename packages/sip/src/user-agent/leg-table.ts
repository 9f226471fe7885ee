import type { SipRequest } from '../message/message.ts';

/** What the table needs to know of a leg. */
interface TabledLeg {
  readonly callId: string;
  readonly localTag: string;
  /** Names of the phones at the other end, which their owner chose. */
  readonly phones: readonly string[];
}

/** The legs of a user agent, by Call-ID and our tag, and by the names of their phones. */
export class LegTable<Leg extends TabledLeg> {
  readonly #legs = new Map<string, Leg>();
  readonly #byPhone = new Map<string, Set<Leg>>();

  get size(): number {
    return this.#legs.size;
  }

  add(leg: Leg): void {
    this.#legs.set(keyOf(leg.callId, leg.localTag), leg);
    this.name(leg);
  }

  /** Adds the leg under the names of its phones, which may become known late. */
  name(leg: Leg): void {
    if (this.#legs.get(keyOf(leg.callId, leg.localTag)) !== leg) return;
    for (const phone of leg.phones) {
      const legs = this.#byPhone.get(phone);
      if (legs) legs.add(leg);
      else this.#byPhone.set(phone, new Set([leg]));
    }
  }

  remove(leg: Leg): void {
    this.#legs.delete(keyOf(leg.callId, leg.localTag));
    for (const phone of leg.phones) {
      const legs = this.#byPhone.get(phone);
      legs?.delete(leg);
      if (legs?.size === 0) this.#byPhone.delete(phone);
    }
  }

  named(callId: string, localTag: string): Leg | undefined {
    return this.#legs.get(keyOf(callId, localTag));
  }

  /** The legs of the phone with this name. */
  withPhone(phone: string): readonly Leg[] {
    return [...(this.#byPhone.get(phone) ?? [])];
  }

  /** The leg whose tag a request of the peer has in To. */
  of(request: SipRequest): Leg | undefined {
    const tag = request.headers.address('To')?.tag;
    return tag === undefined ? undefined : this.named(request.headers.get('Call-ID') ?? '', tag);
  }

  clear(): void {
    this.#legs.clear();
    this.#byPhone.clear();
  }
}

function keyOf(callId: string, localTag: string): string {
  return `${callId} ${localTag}`;
}
