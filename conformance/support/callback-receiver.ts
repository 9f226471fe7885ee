import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Happenings } from './lines.ts';

/** A callback as it arrived. */
export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly host: string;
  readonly headers: IncomingMessage['headers'];
  /** Of the form, or of the query. */
  readonly fields: ReadonlyMap<string, string>;
  readonly eventId: string;
  readonly name: string;
}

/** What a receiver does with the request of this number, from 0: a status, silence, a cut connection, or an answer in drops. */
export type Behaviour = (received: Received, number: number) => number | 'silence' | 'cut' | 'slowly';

/** The content of a path: a document, or a file with its type. */
export type Served = string | { readonly type: string; readonly body: Uint8Array };

/** A customer's server: keeps the requests in order, and answers as the test sets it. */
export class CallbackReceiver {
  readonly received = new Happenings<Received>();
  behaviour: Behaviour = () => 200;
  readonly #served = new Map<string, (received: Received) => Served>();
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (request, response) => void this.#take(request, response));
  }

  static async start(port = 0): Promise<CallbackReceiver> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new CallbackReceiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/events`;
  }

  /** The URL of a path that from now on answers so. */
  serve(path: string, answer: Served | ((received: Received) => Served)): string {
    this.#served.set(path, typeof answer === 'function' ? answer : () => answer);
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The next request for a path, from the request of this number on. */
  asked(path: string, from = 0): Promise<Received> {
    return this.received.until(`a request for ${path}`, ({ target }) => target.split('?')[0] === path, {
      from,
    });
  }

  /** Names of the events, in the order in which they came. */
  get names(): readonly string[] {
    return this.received.all.map(({ name }) => name);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    request.setEncoding('utf8');
    for await (const piece of request) body += piece;
    const target = request.url ?? '';
    const form = request.method === 'POST' ? body : (target.split('?')[1] ?? '');
    const fields = new Map(new URLSearchParams(form));
    const received: Received = {
      method: request.method ?? '',
      target,
      host: request.headers.host ?? '',
      headers: request.headers,
      fields,
      eventId: String(request.headers['x-service-event-id']),
      name: fields.get('EventName') ?? fields.get('Event') ?? '',
    };
    const behaviour = this.behaviour(received, this.received.all.length);
    this.received.add(received);
    if (behaviour === 'silence') return;
    if (behaviour === 'cut') {
      request.socket.destroy();
      return;
    }
    if (behaviour === 'slowly') {
      dripping(response);
      return;
    }
    const served = behaviour === 200 ? this.#served.get(target.split('?')[0] ?? '')?.(received) : undefined;
    const { type, body: answer } =
      typeof served === 'object' ? served : { type: 'application/xml', body: served ?? '' };
    response.writeHead(behaviour, { 'content-type': type }).end(answer);
  }
}

/** A byte every 200 ms until the client closes the connection. */
function dripping(response: ServerResponse): void {
  response.writeHead(200);
  const drip = setInterval(() => response.write(' '), 200);
  response.once('close', () => clearInterval(drip));
}

/**
 * The published algorithm as a customer's own code has it: it shares nothing with ours.
 * Resolves with the names of the signatures that do not verify.
 */
export function wrongSignatures(received: Received, prefix: string, token: string): readonly string[] {
  const header = (name: string) => String(received.headers[`${prefix}${name}`.toLowerCase()]);
  const hmac = (text: string) => createHmac('sha256', token).update(text).digest('base64');
  const [path = '', query = ''] = received.target.split('?');
  const url = `http://${received.host}${path}`;
  const v2 = hmac(`${url}${header('Signature-V2-Nonce')}`);
  // By name: a name may be the beginning of another.
  const sorted = (pairs: Iterable<readonly [string, string]>) =>
    [...pairs].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  const asked = sorted(new URLSearchParams(query)).map((pair) => pair.join('='));
  const form = received.method === 'POST' ? sorted(received.fields).map((pair) => pair.join('')) : [];
  const mark = asked.length + form.length > 0 ? '?' : '';
  const dot = asked.length > 0 && form.length > 0 ? '.' : '';
  const v3 = hmac(`${url}${mark}${asked.join('&')}${dot}${form.join('')}.${header('Signature-V3-Nonce')}`);
  const expected = { 'Signature-V2': v2, 'Signature-Ma-V2': v2, 'Signature-V3': v3, 'Signature-Ma-V3': v3 };
  return Object.entries(expected)
    .filter(([name, value]) => header(name) !== value)
    .map(([name]) => name);
}
