import type {
  CheckedAddresses,
  Egress,
  EgressAddresses,
  EgressAnswer,
  EgressOutcome,
  EgressProblem,
  EgressProblemKind,
  EgressRequest,
} from '@jackfield/ports';
import type { Dispatcher } from 'undici';
import { type AddressGuard, type AddressRules, createAddressGuard } from './address-guard.ts';
import {
  type Connection,
  type ConnectionPool,
  createConnectionPool,
  type PoolLimits,
  poolLimits,
} from './connection-pool.ts';
import { type EgressTarget, findTarget, type Resolve } from './egress-target.ts';
import { createNameCache } from './name-cache.ts';

export interface HttpEgressOptions extends AddressRules {
  readonly resolve: Resolve;
  /** PEM of authorities to trust instead of the usual ones. */
  readonly trust?: string;
  readonly pool?: Partial<PoolLimits>;
  readonly nameTtlMs?: number;
}

/** How long a resolved address is reused. */
const defaultNameTtlMs = 2_000;
/** If the receiver closed before our request arrived, we learn it within a round trip. */
const staleWithinMs = 1_000;
/** Servers send one or two (RFC 9110 §15.2): 100, 102 while they work, 103. */
const maxInterimAnswers = 20;
/** What an answer may hold besides its body: four times the longest header. */
const maxBytesBesidesBody = 65_536;

/** Error codes for header fields and paths that could smuggle in a second request, and for fields reserved to the client. */
const refusedByClient = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);
const closedByPeer = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** The connection closed before the request was written. */
const neverWritten = 'UND_ERR_DESTROYED';

/** The port, with the functions for its opener. */
export interface HttpEgress extends Egress, EgressAddresses {
  /** Open connections, idle ones included. */
  openConnections(): number;
  /** Closes idle connections; later requests open their own. */
  close(): void;
}

/** Requests to customers' URLs, on connections to checked addresses; a connection is reused for the same name and addresses. */
export function createHttpEgress(options: HttpEgressOptions): HttpEgress {
  const guard = createAddressGuard(options);
  const resolve = createNameCache(options.resolve, options.nameTtlMs ?? defaultNameTtlMs);
  const pool = createConnectionPool({ ...poolLimits, ...options.pool }, options.trust);
  return {
    send: (request) =>
      new Promise((settle) => {
        const exchange = new Exchange(request, settle, pool);
        void exchange.run(() => findTarget(request.url, guard, resolve));
      }),
    resolve: (url, timeoutMs) => checkedAddressesOf(url, timeoutMs, guard, resolve),
    openConnections: pool.count,
    close: pool.close,
  };
}

async function checkedAddressesOf(
  url: string,
  timeoutMs: number,
  guard: AddressGuard,
  resolve: Resolve,
): Promise<CheckedAddresses | { readonly problem: EgressProblem }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((settle) => {
    timer = setTimeout(() => settle('late'), timeoutMs);
  });
  // ws and wss have the ports and the form of http and https (RFC 6455 §3).
  const found = await Promise.race([findTarget(url.replace(/^ws(?=s?:)/i, 'http'), guard, resolve), late]);
  clearTimeout(timer);
  if (found === 'late') {
    return { problem: { kind: 'connect-timeout', sentence: `the name was not resolved in ${timeoutMs} ms` } };
  }
  if (!found.ok) return { problem: { kind: found.kind, sentence: found.sentence } };
  const { addresses, port } = found.target;
  return { addresses: addresses.map(({ address }) => address), port };
}

/** One request from its lookup to the end of its response; settles exactly once and leaves no timer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: EgressRequest;
  readonly #settle: (outcome: EgressOutcome) => void;
  readonly #pool: ConnectionPool;
  readonly #total: NodeJS.Timeout;
  #stage: NodeJS.Timeout;
  #target: EgressTarget | undefined;
  #connection: Connection | undefined;
  #sentAt = 0;
  #status: number | undefined;
  #headers: EgressAnswer['headers'] = {};
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #received = 0;
  #interimAnswers = 0;
  #isSettled = false;

  constructor(request: EgressRequest, settle: (outcome: EgressOutcome) => void, pool: ConnectionPool) {
    this.#request = request;
    this.#settle = settle;
    this.#pool = pool;
    const { connectMs, totalMs } = request.timeouts;
    this.#total = setTimeout(() => this.#fail('total-timeout', `no whole answer in ${totalMs} ms`), totalMs);
    this.#stage = setTimeout(
      () => this.#fail('connect-timeout', `no connection in ${connectMs} ms`),
      connectMs,
    );
    request.signal?.addEventListener('abort', this.#abort, { once: true });
    if (request.signal?.aborted === true) this.#abort();
  }

  async run(find: () => ReturnType<typeof findTarget>): Promise<void> {
    const found = await find();
    if (this.#isSettled) return;
    if (!found.ok) return this.#fail(found.kind, found.sentence);
    this.#target = found.target;
    this.#send(this.#pool.take(found.target));
  }

  #send(connection: Connection, isSecondTry = false): void {
    const { path, host } = this.#target!;
    const { method, headers, body = '' } = this.#request;
    this.#connection = connection;
    connection.onConnected = this.#connected;
    connection.onReceived = this.#count;
    if (connection.isConnected) this.#connected();
    connection.client.dispatch(
      {
        method,
        path,
        headers: { ...headers, host },
        body: method === 'POST' ? body : null,
        reset: isSecondTry,
      },
      this,
    );
  }

  readonly #connected = (): void => {
    this.#sentAt = performance.now();
    this.#expectPiece();
  };

  /** Parts of an answer that are neither header nor body, such as chunk extensions, are reported by no other callback. */
  readonly #count = (bytes: number): void => {
    this.#received += bytes;
    // Twice: the sizes of chunks of 6 bytes take nearly as much as the body.
    const limit = 2 * this.#request.maxBodyBytes + maxBytesBesidesBody;
    if (this.#received <= limit) return;
    this.#fail(
      this.#status === undefined ? 'broken' : 'too-large',
      `the answer is longer than ${limit} bytes`,
    );
  };

  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: EgressAnswer['headers'],
  ): void {
    // An interim response is not the final one.
    if (status < 200) {
      if (++this.#interimAnswers <= maxInterimAnswers) return;
      this.#fail('broken', `more than ${maxInterimAnswers} interim answers came before the answer`);
      return;
    }
    this.#status = status;
    this.#headers = headers;
    this.#request.onStatus?.(status);
    this.#expectPiece();
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isSettled) return;
    const { maxBodyBytes, reserve } = this.#request;
    this.#length += piece.length;
    if (this.#length > maxBodyBytes) {
      this.#fail('too-large', `the answer's body is longer than ${maxBodyBytes} bytes`);
      return;
    }
    if (reserve?.(piece.length) === false) {
      this.#fail('no-memory', 'too many answers are being received at this moment');
      return;
    }
    this.#pieces.push(piece);
    this.#expectPiece();
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    this.#connection?.release();
    this.#connection = undefined;
    const body = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#finish({ status: this.#status ?? 0, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    if (this.#isSettled) return;
    const { code = '', message } = error;
    const connection = this.#connection!;
    if (refusedByClient.has(code)) this.#fail('refused', `the request cannot be written: ${message}`);
    else if (!connection.isConnected) this.#fail('unreachable', `no connection: ${code || message}`);
    else if (this.#isStale(connection, code)) {
      connection.discard();
      this.#send(this.#pool.open(this.#target!), true);
    } else
      this.#fail(
        'broken',
        `the answer could not be read: ${closedByPeer.has(code) ? message : code || message}`,
      );
  }

  /** The connection closed while idle, before our request reached the receiver: the attempt does not count. */
  #isStale(connection: Connection, code: string): boolean {
    if (!connection.isReused || this.#status !== undefined) return false;
    if (code === neverWritten) return true;
    return closedByPeer.has(code) && performance.now() - this.#sentAt < staleWithinMs;
  }

  #expectPiece(): void {
    clearTimeout(this.#stage);
    if (this.#isSettled) return;
    const { readMs } = this.#request.timeouts;
    this.#stage = setTimeout(() => this.#fail('read-timeout', `nothing came for ${readMs} ms`), readMs);
  }

  readonly #abort = (): void => this.#fail('aborted', 'the request was aborted');

  #fail(kind: EgressProblemKind, sentence: string): void {
    const problem: EgressProblem = { kind, sentence };
    this.#finish({ problem: this.#status === undefined ? problem : { ...problem, status: this.#status } });
  }

  #finish(outcome: EgressOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#total);
    clearTimeout(this.#stage);
    this.#request.signal?.removeEventListener('abort', this.#abort);
    this.#connection?.discard();
    this.#settle(outcome);
  }
}
