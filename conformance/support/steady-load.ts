import { setTimeout as pause } from 'node:timers/promises';
import type { PlatformProcess } from './platform-process.ts';

/** What each call of a load asks for. */
export interface LoadOrder {
  readonly body: object;
  readonly path: 'Call/' | 'Sandbox/Call/';
}

/** How the requests and phones of a load were answered. */
export interface LoadCounts {
  /** Identifiers of the calls that were made. */
  readonly calls: readonly string[];
  /** 503 with Retry-After, to a request or a phone: the client goes on to another node. */
  readonly refused: number;
  /** No process listened, or it closed the connection: the client repeats the request at another node with its key. */
  readonly unreached: number;
  /** Anything else: each is a failed call. */
  readonly failures: readonly string[];
}

/** What a connection without an answer ends with. */
const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const everyMs = 333;

/** Clients that know the addresses of all nodes and begin a call three times a second, one node after another. */
export class SteadyLoad {
  readonly #nodes: readonly PlatformProcess[];
  readonly #calls: string[] = [];
  readonly #failures: string[] = [];
  #refused = 0;
  #unreached = 0;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(nodes: readonly PlatformProcess[], orders: readonly LoadOrder[]) {
    this.#nodes = nodes;
    this.#running = this.#run(orders);
  }

  get made(): number {
    return this.#calls.length;
  }

  /** Resolves when the last call has been made. */
  async stop(): Promise<LoadCounts> {
    this.#isOver = true;
    await this.#running;
    return {
      calls: this.#calls,
      refused: this.#refused,
      unreached: this.#unreached,
      failures: this.#failures,
    };
  }

  async #run(orders: readonly LoadOrder[]): Promise<void> {
    const begun: Promise<void>[] = [];
    for (let number = 0; !this.#isOver; number++) {
      begun.push(this.#make(number, orders[number % orders.length]!));
      await pause(everyMs);
    }
    await Promise.all(begun);
  }

  /** Each node is tried twice: the request may meet a node that restarts, and then a node that has just begun to drain. */
  async #make(number: number, order: LoadOrder): Promise<void> {
    let phones = 0;
    for (let attempt = 0; attempt < 2 * this.#nodes.length; attempt++) {
      const node = this.#nodes[(number + attempt) % this.#nodes.length]!;
      const answer = await this.#ask(node, order, `load-${number}-${phones}`);
      if (answer === 'next') continue;
      if (typeof answer === 'string') this.#failures.push(`${order.path} of ${number}: ${answer}`);
      else if (order.path === 'Sandbox/Call/' && (await this.#isRefused(node, answer))) {
        this.#refused++;
        // The next phone is another request.
        phones++;
        continue;
      } else this.#calls.push(answer.request_uuid ?? answer.call_uuid ?? '');
      return;
    }
    this.#failures.push(`${order.path} of ${number}: no node took it`);
  }

  /** Whether the call of a sandbox phone was refused with 503. A node that has ended meanwhile has left a record of each call that it took. */
  async #isRefused(node: PlatformProcess, call: Readonly<Record<string, string>>): Promise<boolean> {
    try {
      const { sip_status: status } = await node.until(
        'the answer to the phone',
        `Sandbox/Call/${call.sandbox_call_uuid}/`,
        ({ state }) => state === 'answered' || state === 'ended',
      );
      return status === 503;
    } catch {
      const other = this.#nodes[(this.#nodes.indexOf(node) + 1) % this.#nodes.length]!;
      return (await other.api('GET', `Call/${call.call_uuid}/`)).status === 404;
    }
  }

  async #ask(
    { httpUrl, authId, authToken }: PlatformProcess,
    { path, body }: LoadOrder,
    key: string,
  ): Promise<'next' | string | Readonly<Record<string, string>>> {
    const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
    try {
      const answer = await fetch(`${httpUrl}/v1/Account/${authId}/${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status === 201) return JSON.parse(text);
      if (answer.status !== 503 || answer.headers.get('retry-after') === null)
        return `${answer.status} ${text}`;
      this.#refused++;
      return 'next';
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
      if (code === undefined || !unreachable.has(code)) return String((error as Error).cause ?? error);
      this.#unreached++;
      return 'next';
    }
  }
}
