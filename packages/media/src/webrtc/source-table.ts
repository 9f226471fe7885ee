/**
 * The leg of each checked source: by address, then by port, so that the lookup for a packet builds no text. A source belongs to the
 * leg whose check came last.
 */
export class SourceTable<Leg> {
  readonly #byAddress = new Map<string, Map<number, Leg>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(address: string, port: number): Leg | undefined {
    return this.#byAddress.get(address)?.get(port);
  }

  add(address: string, port: number, leg: Leg): void {
    let ports = this.#byAddress.get(address);
    if (ports === undefined) {
      ports = new Map();
      this.#byAddress.set(address, ports);
    }
    if (!ports.has(port)) this.#size++;
    ports.set(port, leg);
  }

  /** Forgets the source unless it has become another leg's. */
  remove(address: string, port: number, leg: Leg): void {
    const ports = this.#byAddress.get(address);
    if (ports?.get(port) !== leg) return;
    ports.delete(port);
    this.#size--;
    if (ports.size === 0) this.#byAddress.delete(address);
  }
}
