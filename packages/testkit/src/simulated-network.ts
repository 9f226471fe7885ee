import type { Clock } from '@jackfield/ports';
export interface NetworkAddress {
  readonly address: string;
  readonly port: number;
}

/** Effects of the network on datagrams. Rates are 0–1; the random source is given, so that a seed repeats a run. */
export interface Impairment {
  readonly lossRate?: number;
  readonly duplicateRate?: number;
  readonly delayMs?: number;
  /** Added to the delay, uniformly from 0; packets may overtake each other. */
  readonly jitterMs?: number;
}

export type Receive = (payload: Uint8Array, from: NetworkAddress) => void;

/** Ports for datagrams, simulated or real. */
export interface DatagramNetwork {
  /** Opens a port; the returned function closes it. */
  attach(at: NetworkAddress, receive: Receive): () => void;
  /** Sends a copy: the sender may reuse the buffer at once. */
  send(from: NetworkAddress, to: NetworkAddress, payload: Uint8Array): void;
}

/** A network of datagrams on the virtual clock: nothing arrives early, and a closed port drops packets. */
export class SimulatedNetwork implements DatagramNetwork {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #ports = new Map<string, Receive>();
  readonly #behindNat = new Set<string>();
  /** Ways out of NATs: a port behind one, and a port to which it has sent. */
  readonly #opened = new Set<string>();
  #impairment: Impairment = {};
  readonly counters = { sent: 0, delivered: 0, lost: 0, duplicated: 0, unreachable: 0 };

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  impair(impairment: Impairment): void {
    this.#impairment = impairment;
  }

  /** From now on ports at this address receive only from ports to which they have sent, as behind a NAT. */
  putBehindNat(address: string): void {
    this.#behindNat.add(address);
  }

  /** Opens a port; the returned function closes it. Throws when it is open already. */
  attach(at: NetworkAddress, receive: Receive): () => void {
    const key = nameOf(at);
    if (this.#ports.has(key)) throw new Error(`${key} is in use`);
    this.#ports.set(key, receive);
    return () => {
      // A second call must not close a port that was opened again since.
      if (this.#ports.get(key) === receive) this.#ports.delete(key);
    };
  }

  /** Sends a copy: the sender may reuse the buffer at once. */
  send(from: NetworkAddress, to: NetworkAddress, payload: Uint8Array): void {
    const { lossRate = 0, duplicateRate = 0 } = this.#impairment;
    this.counters.sent++;
    if (lossRate > 0 && this.#random() < lossRate) {
      this.counters.lost++;
      return;
    }
    if (this.#behindNat.has(from.address)) this.#opened.add(`${nameOf(from)} ${nameOf(to)}`);
    const copy = payload.slice();
    this.#deliverLater(from, to, copy);
    if (duplicateRate > 0 && this.#random() < duplicateRate) {
      this.counters.duplicated++;
      this.#deliverLater(from, to, copy);
    }
  }

  /** Open ports: the census of a test expects those that the test itself still holds. */
  openPorts(): readonly string[] {
    return [...this.#ports.keys()];
  }

  #deliverLater(from: NetworkAddress, to: NetworkAddress, payload: Uint8Array): void {
    const { delayMs = 1, jitterMs = 0 } = this.#impairment;
    const at = this.#clock.now() + delayMs + (jitterMs > 0 ? this.#random() * jitterMs : 0);
    this.#clock.startTimer(at, () => {
      const receive = this.#ports.get(nameOf(to));
      const isOpen = !this.#behindNat.has(to.address) || this.#opened.has(`${nameOf(to)} ${nameOf(from)}`);
      if (receive === undefined || !isOpen) {
        this.counters.unreachable++;
        return;
      }
      this.counters.delivered++;
      receive(payload, from);
    });
  }
}

function nameOf({ address, port }: NetworkAddress): string {
  return `${address}:${port}`;
}
