import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { TransportCounters } from './counters.ts';
import { createSourceCounts, type SourceCounts } from './source-counts.ts';
import type { TransportListener } from './transport-listener.ts';
import {
  refuseUpgrade,
  tooManyOf,
  tooManySockets,
  type UpgradeAnswer,
  type UpgradeRefusal,
} from './upgrade-refusal.ts';

/** Path and allowed origins of SIP over WebSocket on an HTTP server. */
export interface AttachOptions {
  /** Path of the resource, e.g. `/sip`; a query is ignored. */
  readonly path: string;
  /**
   * Whether a page of that origin may connect; the default is yes. SIP authenticates by itself without cookies, so a foreign
   * page gains nothing. Only browsers send an origin.
   */
  readonly allowOrigin?: (origin: string | undefined) => boolean;
  /** The client behind a proxy of the operator; undefined when the peer of the socket is the client. */
  readonly clientOf?: (request: IncomingMessage) => WebSocketClient | undefined;
  /** The answer to a refused upgrade, in the form of the HTTP server's other errors; plain text when absent. */
  readonly answerOf?: (refusal: UpgradeRefusal) => UpgradeAnswer;
}

/** The client of a WebSocket, before any proxy. */
export interface WebSocketClient {
  readonly address: string;
  /** Whether the client itself used TLS. */
  readonly isEncrypted: boolean;
}

/** The parts of the transport that upgrades need. */
export interface WebSocketUpgradesDeps {
  readonly listener: TransportListener;
  readonly counters: TransportCounters;
  readonly limits: {
    readonly messageSize: number;
    readonly maxSockets: number;
    readonly maxPerSource: number;
  };
  /** Sockets that are open now. */
  openSockets(): number;
  /** A client is connected; its source is counted until `released`. */
  adopt(webSocket: WebSocket, request: IncomingMessage, client: WebSocketClient): void;
}

/** Upgrades HTTP requests to SIP over WebSocket, or refuses them: by origin, subprotocol, and the number of sockets. */
export class WebSocketUpgrades {
  readonly #deps: WebSocketUpgradesDeps;
  readonly #sources: SourceCounts;
  /** The options for a handshake under way. */
  readonly #attachments = new WeakMap<IncomingMessage, AttachOptions>();
  readonly #sockets: WebSocketServer;
  #isClosed = false;

  constructor(deps: WebSocketUpgradesDeps) {
    this.#deps = deps;
    this.#sources = createSourceCounts(deps.limits.maxPerSource, deps.listener.sourceOf);
    this.#sockets = openSocketServer(
      deps.limits.messageSize,
      (request) => this.#attachments.get(request)?.answerOf,
    );
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, options: AttachOptions): void {
    const { listener, counters } = this.#deps;
    socket.on('error', () => socket.destroy());
    const client = options.clientOf?.(request) ?? peerOf(request);
    if (client !== undefined && listener.accepts?.(client.address) === false) {
      counters.connectionsRefused += 1;
      socket.destroy();
      return;
    }
    const problem = refusal(request, options, this.#isClosed || client === undefined);
    if (problem !== undefined) {
      refuseUpgrade(socket, problem, options.answerOf);
      return;
    }
    const full = this.#take(client!.address);
    if (full === undefined) this.#shakeHands(request, socket, head, options, client!);
    else {
      counters.connectionsRefused += 1;
      refuseUpgrade(socket, full, options.answerOf);
    }
  }

  /** A socket of that source is closed. */
  released(source: string): void {
    this.#sources.release(source);
  }

  /** Refuses every later upgrade. */
  close(): void {
    this.#isClosed = true;
  }

  /** Counts the source, or gives the refusal when there are too many sockets. */
  #take(source: string): UpgradeRefusal | undefined {
    const { limits, openSockets } = this.#deps;
    if (openSockets() >= limits.maxSockets) return tooManySockets(limits.maxSockets);
    return this.#sources.take(source) ? undefined : tooManyOf(source, limits.maxPerSource);
  }

  #shakeHands(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    options: AttachOptions,
    client: WebSocketClient,
  ): void {
    let isTaken = false;
    // When `ws` refuses a handshake it closes the socket without a callback.
    socket.once('close', () => {
      if (!isTaken) this.#sources.release(client.address);
    });
    this.#attachments.set(request, options);
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      isTaken = true;
      this.#deps.adopt(webSocket, request, client);
    });
  }
}

function peerOf({ socket }: IncomingMessage): WebSocketClient | undefined {
  const { remoteAddress: address } = socket;
  return address === undefined
    ? undefined
    : { address, isEncrypted: 'encrypted' in socket && socket.encrypted === true };
}

function openSocketServer(
  maxPayload: number,
  answerTo: (request: IncomingMessage) => AttachOptions['answerOf'],
): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    // Compression needs more memory for each socket than it saves on SIP messages.
    perMessageDeflate: false,
    handleProtocols: () => 'sip',
  });
  // Handshakes that `ws` refuses, such as those without a key or with another version.
  sockets.on('wsClientError', (error, socket, request) => {
    const sentence = `${error.message}: a WebSocket of version 13 (RFC 6455 §4.2.1) is needed`;
    refuseUpgrade(socket, { reason: 'bad-handshake', sentence }, answerTo(request));
  });
  return sockets;
}

function refusal(
  request: IncomingMessage,
  { allowOrigin }: AttachOptions,
  isClosed: boolean,
): UpgradeRefusal | undefined {
  if (isClosed) return { reason: 'closed', sentence: 'SIP over WebSocket is closed' };
  // RFC 7118 §4.1: client and server must agree on `sip`.
  const given = request.headers['sec-websocket-protocol'] ?? '';
  if (!given.split(',').some((name) => name.trim() === 'sip')) {
    const sentence = `Sec-WebSocket-Protocol must contain sip, not ${JSON.stringify(given)}`;
    return { reason: 'wrong-subprotocol', sentence };
  }
  const { origin } = request.headers;
  if (allowOrigin === undefined || allowOrigin(origin)) return undefined;
  const sentence = `pages of the origin ${JSON.stringify(origin ?? '')} may not connect`;
  return { reason: 'wrong-origin', sentence };
}
