import type { Socket } from 'node:net';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import { ConnectionDeadlines } from './connection-deadlines.ts';
import type { TransportCounters } from './counters.ts';
import type { OpenConnection } from './open-connections.ts';
import { createStreamFramer, type Frame, type StreamFramer } from './stream-framer.ts';
import type { SendTarget, TransportListener } from './transport-listener.ts';

/** Bounds of one connection; times in milliseconds. */
export interface ConnectionLimits {
  /** Header and body of one message together, 65,535. */
  readonly messageSize: number;
  /** A connection without a byte in either direction is closed after this; longer than the longest registration, 3,900,000. */
  readonly idleMs: number;
  /** The longest time to the first message of a connection, and from the start of a message to its end, 20,000. */
  readonly halfMessageMs: number;
  /** The longest time to connect to a peer, TLS included, 5,000: TCP repeats its first packet after 1 and 3 s, and other addresses wait. */
  readonly connectMs: number;
  /** The longest time of a TLS handshake that a peer began, from first to last byte, 10,000. */
  readonly handshakeMs: number;
  /** An accepted connection is closed after this unless `keep` was called, whatever it sends; never when absent. */
  readonly strangerMs?: number;
  /** Characters that may wait for a peer that does not read, 1 MiB. */
  readonly sendQueueSize: number;
}

/** Default limits. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  messageSize: 65_535,
  idleMs: 3_900_000,
  halfMessageMs: 20_000,
  connectMs: 5_000,
  handshakeMs: 10_000,
  sendQueueSize: 1024 * 1024,
};

/** Options of a connection. */
export interface StreamConnectionOptions {
  readonly socket: Socket;
  readonly flow: Flow;
  /** The event after which an opened connection is writable; absent for an accepted one, which is established. */
  readonly readyEvent?: 'connect' | 'secureConnect';
  readonly limits: ConnectionLimits;
  readonly listener: TransportListener;
  readonly counters: TransportCounters;
  onClosed(): void;
}

/** Runs SIP over a TCP or TLS socket, opened by us or accepted: frames received bytes and bounds the send queue. */
export class StreamConnection implements OpenConnection {
  readonly flow: Flow;
  readonly #socket: Socket;
  readonly #options: StreamConnectionOptions;
  readonly #framer: StreamFramer;
  readonly #deadlines: ConnectionDeadlines;
  /** Messages that wait for the connection: nothing is written to a socket before its peer is verified. */
  readonly #waiting: { readonly target: SendTarget; readonly text: ByteString }[] = [];
  #waitingSize = 0;
  #isReady: boolean;
  #isOver = false;
  #isEnding = false;
  /** A message was lost; the socket reports its end later. */
  #isBroken = false;
  #reason: string | undefined;

  constructor(options: StreamConnectionOptions) {
    const { socket, flow, readyEvent, limits } = options;
    this.flow = flow;
    this.#socket = socket;
    this.#options = options;
    this.#framer = createStreamFramer(limits.messageSize);
    this.#isReady = readyEvent === undefined;
    const timeOut = (): void => this.#timeOut();
    this.#deadlines = new ConnectionDeadlines(limits, timeOut);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    socket.setTimeout(limits.idleMs, timeOut);
    if (readyEvent === undefined) this.#deadlines.accepted();
    else {
      this.#deadlines.connecting();
      socket.once(readyEvent, () => this.#ready());
    }
    socket.on('data', (bytes: Buffer) => this.#received(bytes));
    socket.on('error', (error) => {
      this.#reason ??= error.message;
    });
    socket.on('close', () => this.#closed());
  }

  get isOpen(): boolean {
    // A broken stream stays writable for its last answer while it closes.
    return !this.#isBroken && !this.#socket.destroyed && this.#socket.writable;
  }

  send(target: SendTarget, text: ByteString): void {
    const socket = this.#socket;
    const isFull =
      socket.writableLength + this.#waitingSize + text.length > this.#options.limits.sendQueueSize;
    if (isFull || !this.isOpen) {
      const sentence = isFull ? 'The send queue is full.' : this.#reasonOfEnd();
      process.nextTick(() => this.#failed(target, text, sentence));
      return;
    }
    if (this.#isReady) this.#write(target, text);
    else {
      this.#waiting.push({ target, text });
      this.#waitingSize += text.length;
    }
  }

  keep(): void {
    this.#deadlines.keep();
  }

  end(): void {
    this.#isEnding = true;
    if (this.#isReady || this.#waiting.length === 0) this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #ready(): void {
    this.#deadlines.connected();
    this.#isReady = true;
    this.#waitingSize = 0;
    for (const { target, text } of this.#waiting.splice(0)) this.#write(target, text);
    if (this.#isEnding) this.#socket.destroySoon();
  }

  #received(bytes: Buffer): void {
    if (this.#isOver) return;
    const frames = this.#framer.push(bytes.toString('latin1'));
    const hasMessage = frames.some((frame) => frame.kind === 'message');
    const hasPing = frames.some((frame) => frame.kind === 'ping');
    this.#deadlines.received(hasMessage, this.#framer.buffered > 0);
    // One pong answers all pings of a packet, so a flood of pings is not amplified.
    if (hasPing && !this.#isOver) this.#socket.write('\r\n');
    for (const frame of frames) if (!this.#handle(frame)) return;
  }

  /** False when the stream is broken. */
  #handle(frame: Frame): boolean {
    const { counters } = this.#options;
    if (frame.kind === 'message') this.#deliver(frame.text);
    else if (frame.kind === 'ping') counters.keepAlives += 1;
    else {
      counters.streamsBroken += 1;
      this.#reason = frame.sentence;
      if (frame.text !== undefined) this.#deliver(frame.text);
      // A 400 to the message is sent before the connection closes; nothing more is read.
      this.#isOver = true;
      this.#socket.pause();
      this.#socket.destroySoon();
      this.#deadlines.ending();
      return false;
    }
    return true;
  }

  #deliver(text: ByteString): void {
    const { counters, listener } = this.#options;
    counters.messagesReceived += 1;
    try {
      listener.onMessage(text, this.flow);
    } catch (error) {
      counters.listenerFailures += 1;
      listener.onFault?.(error);
    }
  }

  #write(target: SendTarget, text: ByteString): void {
    this.#options.counters.messagesSent += 1;
    this.#socket.write(text, 'latin1', (error) => {
      if (!error) return;
      this.#isBroken = true;
      this.#failed(target, text, this.#reason ?? error.message);
    });
  }

  #failed(target: SendTarget, text: ByteString, sentence: string): void {
    this.#options.counters.sendFailures += 1;
    this.#options.listener.onSendFailed?.({ target, text, sentence });
  }

  #timeOut(): void {
    this.#options.counters.connectionsTimedOut += 1;
    this.#reason = 'The connection timed out.';
    this.#socket.destroy();
  }

  #closed(): void {
    this.#isOver = true;
    this.#deadlines.stop();
    this.#options.onClosed();
    for (const { target, text } of this.#waiting.splice(0)) this.#failed(target, text, this.#reasonOfEnd());
  }

  #reasonOfEnd(): string {
    return this.#reason ?? 'The connection is closed.';
  }
}
