import type { ClientEvents } from './options.ts';

type Listener = (...args: unknown[]) => void;

/** Events of several arguments with the methods that the hosted SDK's client has. */
export class ClientEmitter {
  readonly #listeners = new Map<string, Set<Listener>>();

  on<Name extends keyof ClientEvents>(name: Name, listener: (...args: ClientEvents[Name]) => void): this;
  /** Events of the hosted SDK that never come here are accepted. */
  on(name: string, listener: (...args: never[]) => void): this;
  on(name: string, listener: (...args: never[]) => void): this {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener as Listener));
    return this;
  }

  once(name: string, listener: (...args: never[]) => void): this {
    const first: Listener = (...args) => {
      this.off(name, first);
      (listener as Listener)(...args);
    };
    return this.on(name, first);
  }

  off(name: string, listener: (...args: never[]) => void): this {
    this.#listeners.get(name)?.delete(listener as Listener);
    return this;
  }

  removeListener(name: string, listener: (...args: never[]) => void): this {
    return this.off(name, listener);
  }

  removeAllListeners(name?: string): this {
    if (name === undefined) this.#listeners.clear();
    else this.#listeners.delete(name);
    return this;
  }

  /** An exception of a listener reaches the page as any other, and no other listener misses the event. */
  protected emit<Name extends keyof ClientEvents>(name: Name, ...args: ClientEvents[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(...args);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
