import { lookup } from 'node:dns/promises';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type {
  Egress,
  EgressOutcome,
  EgressProblem,
  EgressProblemKind,
  EgressRequest,
} from '@jackfield/platform';
import { type AddressRules, createAddressGuard } from './address-guard.ts';
import { type EgressTarget, findTarget, type Resolve } from './egress-target.ts';

export interface HttpEgressOptions extends AddressRules {
  /** The system's resolver when left out. */
  readonly resolve?: Resolve;
  /** PEM of authorities to trust instead of the usual ones. */
  readonly trust?: string;
}

/** Of an answer's head; longer ones end the request. */
const maxHeaderBytes = 16_384;

/** Requests to customers' URLs, each on a connection of its own to an address that was checked right before. */
export function createHttpEgress(options: HttpEgressOptions): Egress {
  const guard = createAddressGuard(options);
  const resolve = options.resolve ?? ((name: string) => lookup(name, { all: true, verbatim: true }));
  return {
    send: (request) =>
      new Promise((settle) => {
        void new Exchange(request, settle, options.trust).run(() => findTarget(request.url, guard, resolve));
      }),
  };
}

/** One request from its look-up to the end of its answer; settles exactly once and leaves no socket and no timer. */
class Exchange {
  readonly #request: EgressRequest;
  readonly #settle: (outcome: EgressOutcome) => void;
  readonly #trust: string | undefined;
  readonly #total: NodeJS.Timeout;
  #stage: NodeJS.Timeout;
  #sent: ClientRequest | undefined;
  #status: number | undefined;
  #isSettled = false;

  constructor(request: EgressRequest, settle: (outcome: EgressOutcome) => void, trust: string | undefined) {
    this.#request = request;
    this.#settle = settle;
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

  #send({ secure, hostname, port, path, host, addresses }: EgressTarget): void {
    const { method, headers, body = '', timeouts } = this.#request;
    // The name is not resolved again: what was checked is what is connected to.
    const checked: LookupFunction = (_name, { all }, callback) => {
      if (all) callback(null, [...addresses]);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    };
    const bytes = Buffer.from(body);
    const sent = (secure ? requestHttps : requestHttp)({
      method,
      host: hostname,
      port,
      path,
      headers: {
        ...headers,
        host,
        connection: 'close',
        ...(method === 'POST' ? { 'content-length': bytes.length } : {}),
      },
      setDefaultHeaders: false,
      agent: false,
      lookup: checked,
      maxHeaderSize: maxHeaderBytes,
      ...(secure ? this.#tlsOptions(hostname) : {}),
    });
    this.#sent = sent;
    let isConnected = false;
    const connected = () => {
      isConnected = true;
      this.#expectPiece(timeouts.readMs);
    };
    sent.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', connected));
    sent.on('response', (answer) => this.#take(answer));
    sent.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (isConnected) this.#fail('broken', `the answer could not be read: ${code ?? message}`);
      else this.#fail('unreachable', `no connection: ${code ?? message}`);
    });
    sent.on('close', () => this.#fail('broken', 'the connection was closed without an answer'));
    sent.end(method === 'POST' ? bytes : undefined);
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
    answer.on('end', () => this.#finish({ status, headers: answer.headers, body: Buffer.concat(pieces) }));
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
