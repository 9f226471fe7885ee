import type { AgreedMedia } from '../engine/commands.ts';

/** The port of WebRTC through which another thread passes the packets of a leg. */
export interface RelayAddress {
  readonly address: string;
  readonly port: number;
}

/** A browser's leg in this thread, whose ICE and DTLS are in the thread that opened it. */
export interface RelayedLeg {
  readonly relay: RelayAddress;
  /** The pair that the leg has in this process; only the relay sends there. */
  readonly ownPort: number;
}

/** Legs of browsers that joined a room of this thread: their packets arrive through the port of WebRTC of another thread. */
export class RelayedLegs {
  readonly #byName = new Map<string, RelayedLeg & { readonly index: number }>();
  /** By the engine's index; empty where a leg receives from its phone. */
  readonly #byIndex: (RelayAddress | undefined)[] = [];

  add(leg: string, index: number, relayed: RelayedLeg): void {
    this.#byName.set(leg, { ...relayed, index });
    this.#byIndex[index] = relayed.relay;
  }

  /** Undefined for a leg that is not relayed. */
  find(leg: string): RelayedLeg | undefined {
    return this.#byName.get(leg);
  }

  /** Forgets the leg and returns it. */
  take(leg: string): RelayedLeg | undefined {
    const known = this.#byName.get(leg);
    if (known === undefined) return undefined;
    this.#byName.delete(leg);
    this.#byIndex[known.index] = undefined;
    return { relay: known.relay, ownPort: known.ownPort };
  }

  /** Whether a packet does not come from the relay of its leg. Only the relay has checked the source. */
  isForeign(index: number, address: string, port: number): boolean {
    const relay = this.#byIndex[index];
    return relay !== undefined && (port !== relay.port || address !== relay.address);
  }
}

/** The agreed media, with the relay in place of the browser. */
export function throughRelay(agreed: AgreedMedia, { address, port }: RelayAddress): AgreedMedia {
  return { ...agreed, address, port, rtcpPort: port };
}

/** The address at which a socket of this process reaches a socket that is bound to `host`. */
export function localAddressOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
