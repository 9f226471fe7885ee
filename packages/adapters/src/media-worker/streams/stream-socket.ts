import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { StreamTarget } from '@jackfield/ports';
import { WebSocket } from 'ws';
import { type FrameAllowance, FrameMeter } from './frame-meter.ts';
import { limitReading } from './limit-reading.ts';

/** Receives the events of a socket: `opened` or `unreachable`, and after `opened` finally `lost`. */
export interface StreamSocketListener {
  opened(): void;
  unreachable(sentence: string): void;
  message(data: Buffer, isBinary: boolean): void;
  /** Everything sent before this ping has arrived. */
  answered(question: string): void;
  /** The code as RFC 6455 §7.4 numbers it, 1006 without a close frame. */
  lost(code: number, sentence: string): void;
}

/** Limits of a socket. */
export interface StreamSocketOptions {
  /** A longer message ends the connection with 1009. */
  readonly mostBytes: number;
  /** What is read in 20 ms; the rest waits in the other side's network. */
  readonly allowance: FrameAllowance;
  readonly pingMs: number;
  readonly closeMs: number;
  /** Certificates of trusted authorities, in place of Node's own. */
  readonly trust?: string | undefined;
}

/** One connection to the server of a stream, from the first attempt to the end. */
export class StreamSocket {
  readonly #socket: WebSocket;
  readonly #listener: StreamSocketListener;
  readonly #closeMs: number;
  readonly #meter: FrameMeter;
  #refills: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #ping: NodeJS.Timeout | undefined;
  #isAnswered = true;
  #isAnswering = false;
  #unansweredPing: Buffer | undefined;
  #isOpen = false;
  #isOver = false;
  #sentence: string | undefined;

  constructor(target: StreamTarget, options: StreamSocketOptions, listener: StreamSocketListener) {
    this.#listener = listener;
    this.#closeMs = options.closeMs;
    this.#meter = new FrameMeter(options.allowance);
    const dial = dialler(target, options.trust);
    let connection: Socket;
    const socket = new WebSocket(target.url, {
      headers: inFront(target.headers),
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: options.mostBytes,
      autoPong: false,
      // Host, SNI and the certificate check use the name of the URL; only checked addresses are connected.
      createConnection: () => {
        connection = dial();
        return connection;
      },
    });
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('open', () => {
      clearTimeout(this.#deadline);
      limitReading(connection, this.#meter, () => socket.pause());
      this.#isOpen = true;
      this.#ping = setInterval(() => this.#askWhetherItLives(options.pingMs), options.pingMs);
      listener.opened();
    });
    socket.on('message', (data: Buffer, isBinary) => {
      if (!this.#isOver) listener.message(data, isBinary);
    });
    socket.on('ping', (data) => this.#answer(data));
    socket.on('pong', (data) => {
      this.#isAnswered = true;
      if (data.length > 0 && !this.#isOver) listener.answered(data.toString('latin1'));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#sentence ??= sentenceOf(error);
      // RFC 6455 §7.1.7: the connection has failed. Our close frame is written; its answer, for which ws would wait 30 s, changes nothing.
      if (!this.#isOpen || this.#isOver) return;
      this.#end(1006, '');
      this.#deadline = setTimeout(() => socket.terminate(), this.#closeMs);
    });
    socket.on('close', (code, reason) => {
      clearTimeout(this.#deadline);
      this.#end(code, reason.toString('utf8'));
    });
    // The limit covers the whole handshake: a server that sends its response slowly counts as silent.
    this.#deadline = setTimeout(() => {
      this.#sentence = `it did not take the connection within ${target.timeoutMs} ms`;
      socket.terminate();
    }, target.timeoutMs);
  }

  /** Bytes that wait for the network. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Sends a text or binary message; the bytes are copied. No effect when the socket is not open. */
  send(data: string | Uint8Array, isBinary: boolean): void {
    if (this.#isOpen && !this.#isOver && this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(data, isBinary ? binary : textual);
    }
  }

  /** Sends a ping with a few letters, which the pong returns (RFC 6455 §5.5.3). */
  ask(question: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping(question);
  }

  /** The next 20 ms begin: as many frames and bytes as before may be read. */
  refill(): void {
    this.#meter.refill();
    if (this.#socket.isPaused) this.#socket.resume();
  }

  /** Sends a close frame; without a timely answer the connection is cut. `lost` or `unreachable` follows. */
  close(code: number, reason: string): void {
    if (this.#isOver) return;
    clearTimeout(this.#deadline);
    this.#sentence ??= reason;
    if (!this.#isOpen) {
      this.#socket.terminate();
      return;
    }
    this.#socket.close(code, cut(reason));
    // The answer is behind what the other side sent before it; the frames of the legs no longer count the time.
    this.#refills ??= setInterval(() => this.refill(), 20);
    this.#deadline = setTimeout(() => this.#socket.terminate(), this.#closeMs);
  }

  /** Cuts the connection. */
  kill(sentence: string): void {
    this.#sentence ??= sentence;
    this.#socket.terminate();
  }

  /** While a pong waits for the network, the latest ping alone will be answered (RFC 6455 §5.5.3). */
  #answer(ping: Buffer): void {
    if (this.#isAnswering) {
      this.#unansweredPing = ping;
      return;
    }
    this.#isAnswering = true;
    this.#socket.pong(ping, undefined, () => {
      this.#isAnswering = false;
      const next = this.#unansweredPing;
      this.#unansweredPing = undefined;
      if (next !== undefined) this.#answer(next);
    });
  }

  #askWhetherItLives(pingMs: number): void {
    if (!this.#isAnswered) {
      this.kill(`it did not answer a ping within ${pingMs} ms`);
      return;
    }
    this.#isAnswered = false;
    this.#socket.ping();
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    clearInterval(this.#ping);
    clearInterval(this.#refills);
    if (!this.#isOpen) this.#listener.unreachable(this.#sentence ?? 'the connection was closed');
    else {
      const said = reason === '' ? '' : `: ${JSON.stringify(reason)}`;
      this.#listener.lost(code, this.#sentence ?? `the connection was closed with ${code}${said}`);
    }
  }
}

/** Some servers look for `Upgrade` only in the first bytes of a request: these headers precede the signatures, which are long. */
function inFront(headers: StreamTarget['headers']): Record<string, string> {
  return { Connection: 'Upgrade', Upgrade: 'websocket', ...headers };
}

const textual = { binary: false };
const binary = { binary: true };

function dialler({ url, addresses, port, timeoutMs }: StreamTarget, trust: string | undefined) {
  const { protocol, hostname } = new URL(url);
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  // No name is resolved: the checked addresses are connected, one after another.
  const lookup: LookupFunction = (_name, { all }, callback) => {
    if (all) callback(null, checked);
    else callback(null, checked[0]!.address, checked[0]!.family);
  };
  return () => {
    const to = {
      ...(checked.length === 1 ? { host: checked[0]!.address } : { host: bare(hostname), lookup }),
      port,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: turnMs(timeoutMs, checked.length),
    };
    const socket =
      protocol === 'wss:'
        ? connectTls({
            ...to,
            ...(isIP(bare(hostname)) === 0 ? { servername: hostname } : {}),
            ...(trust === undefined ? {} : { ca: trust }),
            ALPNProtocols: ['http/1.1'],
          })
        : connectPlain(to);
    socket.setNoDelay(true);
    return socket;
  };
}

/**
 * How long one of several addresses may take before the next is tried; the last has the remaining time. 250 ms are the value of RFC 8305
 * §5; a lost SYN is sent again after 1 s (RFC 6298 §2.1), so a longer wait gains nothing.
 */
function turnMs(timeoutMs: number, addresses: number): number {
  return Math.max(250, Math.min(1000, Math.floor(timeoutMs / (addresses + 1))));
}

function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function sentenceOf(error: NodeJS.ErrnoException): string {
  // Each of several addresses has its own limit.
  if (error instanceof AggregateError) return error.errors.map(({ message }) => message).join(', ');
  const { message, code } = error;
  const status = /^Unexpected server response: (\d+)$/.exec(message)?.[1];
  if (status !== undefined) return `it answered ${status} instead of switching to WebSocket`;
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 'it sent a message that is too long';
  if (code?.startsWith('WS_ERR_')) return `it broke the protocol of WebSockets: ${message}`;
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

/** RFC 6455 §5.5: a control frame has 125 bytes, two of them for the code. */
function cut(reason: string): string {
  const bytes = Buffer.from(reason, 'utf8');
  return bytes.length <= 123
    ? reason
    : bytes
        .subarray(0, 120)
        .toString('utf8')
        .replace(/\uFFFD+$/, '');
}
