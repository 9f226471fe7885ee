import { lookup } from 'node:dns/promises';
import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type {
  CheckedAddresses,
  Egress,
  EgressAddresses,
  EgressOutcome,
  EgressProblem,
  EgressProblemKind,
  EgressRequest,
} from '@jackfield/ports';
import { type AddressGuard, type AddressRules, createAddressGuard } from './address-guard.ts';
import {
  type CheckedOptions,
  type ConnectionPool,
  createConnectionPool,
  type PoolLimits,
  poolLimits,
} from './connection-pool.ts';
import { type EgressTarget, findTarget, type Resolve } from './egress-target.ts';
import { createNameCache } from './name-cache.ts';

export interface HttpEgressOptions extends AddressRules {
  /** The system's resolver when left out. */
  readonly resolve?: Resolve;
  /** PEM of authorities to trust instead of the usual ones. */
  readonly trust?: string;
  readonly pool?: Partial<PoolLimits>;
  readonly nameTtlMs?: number;
}

/** Of an answer's head; longer ones end the request. */
const maxHeaderBytes = 16_384;

/** How long an address is taken for that of its name. */
const defaultNameTtlMs = 2_000;
/** What the receiver closed before our request reached it tells so within a round trip. */
const staleWithinMs = 1_000;

/** The port, with what its opener closes. */
export interface HttpEgress extends Egress, EgressAddresses {
  /** Connections that are open, those that wait for another request among them. */
  openConnections(): number;
  /** Closes those that wait; requests that come later open their own. */
  close(): void;
}

/** Requests to customers' URLs, on connections to addresses that were checked; one is used again for the same name and addresses. */
export function createHttpEgress(options: HttpEgressOptions): HttpEgress {
  const guard = createAddressGuard(options);
  const resolve = createNameCache(
    options.resolve ?? ((name: string) => lookup(name, { all: true, verbatim: true })),
    options.nameTtlMs ?? defaultNameTtlMs,
  );
  const pool = createConnectionPool({ ...poolLimits, ...options.pool });
  return {
    send: (request) =>
      new Promise((settle) => {
        const exchange = new Exchange(request, settle, pool, options.trust);
        void exchange.run(() => findTarget(request.url, guard, resolve));
      }),
    resolve: (url, timeoutMs) => checkedAddressesOf(url, timeoutMs, guard, resolve),
    openConnections: pool.open,
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

/** One request from its look-up to the end of its answer; settles exactly once and leaves no timer. */
class Exchange {
  readonly #request: EgressRequest;
  readonly #settle: (outcome: EgressOutcome) => void;
  readonly #pool: ConnectionPool;
  readonly #trust: string | undefined;
  readonly #total: NodeJS.Timeout;
  #stage: NodeJS.Timeout;
  #sent: ClientRequest | undefined;
  #status: number | undefined;
  #isSettled = false;

  constructor(
    request: EgressRequest,
    settle: (outcome: EgressOutcome) => void,
    pool: ConnectionPool,
    trust: string | undefined,
  ) {
    this.#request = request;
    this.#settle = settle;
    this.#pool = pool;
    this.#trust = trust;
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
    try {
      this.#send(found.target);
    } catch (error) {
      // Node refuses header fields and paths that could smuggle a second request in.
      this.#fail('refused', `the request cannot be written: ${(error as Error).message}`);
    }
  }

  #send(target: EgressTarget, isSecondTry = false): void {
    const { secure, hostname, port, path, host, addresses } = target;
    const { method, headers, body = '', timeouts } = this.#request;
    // The name is not resolved again: what was checked is what is connected to.
    const checked: LookupFunction = (_name, { all }, callback) => {
      if (all) callback(null, [...addresses]);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    };
    const options: RequestOptions & CheckedOptions = {
      method,
      host: hostname,
      port,
      path,
      headers: {
        ...headers,
        host,
        connection: isSecondTry ? 'close' : 'keep-alive',
        ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
      },
      setDefaultHeaders: false,
      agent: isSecondTry ? false : secure ? this.#pool.https : this.#pool.http,
      lookup: checked,
      checked: addresses.map(({ address }) => address).join(),
      maxHeaderSize: maxHeaderBytes,
      ...(secure ? this.#tlsOptions(hostname) : {}),
    };
    const sent = (secure ? requestHttps : requestHttp)(options);
    this.#sent = sent;
    let isConnected = false;
    let sentAt = 0;
    const connected = () => {
      isConnected = true;
      sentAt = performance.now();
      this.#expectPiece(timeouts.readMs);
    };
    const broken = (sentence: string) => {
      if (this.#sent !== sent) return;
      // A connection that was closed while it waited, before our request reached the receiver: no attempt was made.
      const isStale = sent.reusedSocket && this.#status === undefined && !this.#isSettled;
      if (isStale && performance.now() - sentAt < staleWithinMs) this.#send(target, true);
      else this.#fail('broken', sentence);
    };
    sent.on('socket', (socket) => {
      if (sent.reusedSocket) connected();
      else socket.once(secure ? 'secureConnect' : 'connect', connected);
    });
    sent.on('response', (answer) => this.#take(answer));
    sent.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (!isConnected) this.#fail('unreachable', `no connection: ${code ?? message}`);
      else if (code === 'ECONNRESET' || code === 'EPIPE') broken(`the answer could not be read: ${code}`);
      else if (this.#sent === sent) this.#fail('broken', `the answer could not be read: ${code ?? message}`);
    });
    sent.on('close', () => broken('the connection was closed without an answer'));
    sent.end(method === 'POST' ? body : undefined);
  }

  #tlsOptions(hostname: string) {
    return {
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(this.#trust === undefined ? {} : { ca: this.#trust }),
    };
  }

  #take(answer: IncomingMessage): void {
    const { timeouts, maxBodyBytes } = this.#request;
    const status = answer.statusCode ?? 0;
    this.#status = status;
    const pieces: Buffer[] = [];
    let length = 0;
    this.#expectPiece(timeouts.readMs);
    answer.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > maxBodyBytes) {
        this.#fail('too-large', `the answer's body is longer than ${maxBodyBytes} bytes`);
        return;
      }
      pieces.push(piece);
      this.#expectPiece(timeouts.readMs);
    });
    answer.on('error', () => this.#fail('broken', 'the connection broke within the answer'));
    answer.on('end', () => {
      // Whole, so its connection goes back to the others.
      this.#sent = undefined;
      const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      this.#finish({ status, headers: answer.headers, body });
    });
  }

  #expectPiece(readMs: number): void {
    clearTimeout(this.#stage);
    if (this.#isSettled) return;
    this.#stage = setTimeout(() => this.#fail('read-timeout', `nothing came for ${readMs} ms`), readMs);
  }

  readonly #abort = (): void => this.#fail('aborted', 'the request was given up');

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
    this.#sent?.destroy();
    this.#settle(outcome);
  }
}
