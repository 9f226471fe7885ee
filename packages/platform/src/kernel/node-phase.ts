/** Whether this process takes new work. */
export type NodePhaseName = 'starting' | 'serving' | 'draining' | 'ending';

/** The phase of this process. A drain can be undone, an end cannot. */
export class NodePhase {
  #name: NodePhaseName = 'starting';
  readonly #listeners: ((name: NodePhaseName) => void)[] = [];

  get name(): NodePhaseName {
    return this.#name;
  }

  get isServing(): boolean {
    return this.#name === 'serving';
  }

  /** New work is refused, live work goes on. */
  get isDraining(): boolean {
    return this.#name === 'draining' || this.#name === 'ending';
  }

  /** Calls the listener after each change. */
  follow(listener: (name: NodePhaseName) => void): void {
    this.#listeners.push(listener);
  }

  /** After the start, and after a drain; without effect on a process that ends. True for a change. */
  serve(): boolean {
    return this.#name !== 'ending' && this.#become('serving');
  }

  /** Without effect on a process that starts or ends. True for a change. */
  drain(): boolean {
    return this.#name === 'serving' && this.#become('draining');
  }

  end(): void {
    this.#become('ending');
  }

  #become(name: NodePhaseName): boolean {
    if (name === this.#name) return false;
    this.#name = name;
    for (const listener of this.#listeners) listener(name);
    return true;
  }
}
