import type { SipRequest } from '../message/message.ts';
import { tagOf } from '../message/name-addr.ts';

/** The legs of a user agent, by Call-ID and our tag. */
export class LegTable<Leg extends { readonly callId: string; readonly localTag: string }> {
  readonly #legs = new Map<string, Leg>();

  get size(): number {
    return this.#legs.size;
  }

  add(leg: Leg): void {
    this.#legs.set(keyOf(leg.callId, leg.localTag), leg);
  }

  remove(leg: Leg): void {
    this.#legs.delete(keyOf(leg.callId, leg.localTag));
  }

  /** The leg whose tag a request of the peer has in To. */
  of(request: SipRequest): Leg | undefined {
    const tag = tagOf(request.headers.get('To') ?? '');
    return tag === undefined ? undefined : this.#legs.get(keyOf(request.headers.get('Call-ID') ?? '', tag));
  }

  clear(): void {
    this.#legs.clear();
  }
}

function keyOf(callId: string, localTag: string): string {
  return `${callId} ${localTag}`;
}
