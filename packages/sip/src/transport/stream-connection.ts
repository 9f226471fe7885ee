import type { Socket } from 'node:net';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import type { TransportCounters } from './counters.ts';
import { createStreamFramer, type Frame } from './stream-framer.ts';
import type { SendTarget, TransportListener } from './transport-listener.ts';

/** Bounds of one connection; times in milliseconds. */
export interface ConnectionLimits {
  /** Header and body of one message together, 65,535. */
  readonly messageSize: number;
  /** A connection without a byte in either direction is closed after this; longer than the longest registration, 3,900,000. */
  readonly idleMs: number;
  /** The longest time to the first message of a connection, and from the begin of a message to its end, 20,000. */
  readonly halfMessageMs: number;
  /** The longest time to connect to a peer, and of a TLS handshake from first to last byte, 10,000. */
  readonly connectMs: number;
  /** An accepted connection is closed after this unless `keep` was called, whatever it sends; never when absent. */
  readonly strangerMs?: number;
  /** Characters that may wait for a peer that does not read, 1 MiB. */
  readonly sendQueueSize: number;
}

/** One TCP or TLS connection, opened by us or accepted. */
export interface StreamConnection {
  readonly flow: Flow;
  /** Sends, or queues until the connection is established; a failure comes back through the listener. */
  send(target: SendTarget, text: ByteString): void;
  /** Marks the peer as authenticated. */
  keep(): void;
  /** Flushes, then closes. */
  end(): void;
  destroy(): void;
}

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

/** Runs SIP over a socket: frames received bytes, bounds the send queue, and enforces deadlines. */
export function createStreamConnection(options: StreamConnectionOptions): StreamConnection {
  const { socket, flow, readyEvent, limits, listener, counters } = options;
  const framer = createStreamFramer(limits.messageSize);
  let isOver = false;
  // Nothing is written to a socket before its peer is verified.
  let isReady = readyEvent === undefined;
  let isEnding = false;
  const waiting: { readonly target: SendTarget; readonly text: ByteString }[] = [];
  let waitingSize = 0;
  let reason: string | undefined;
  // One deadline at a time: for the connection, for its first message, or for the end of a begun message.
  let deadline: NodeJS.Timeout | undefined;

  let probation: NodeJS.Timeout | undefined;

  const timeOut = (): void => {
    counters.connectionsTimedOut += 1;
    reason = 'The connection timed out.';
    socket.destroy();
  };
  const watch = (ms: number): void => {
    clearTimeout(deadline);
    deadline = setTimeout(timeOut, ms);
  };
  const unwatch = (): void => {
    clearTimeout(deadline);
    deadline = undefined;
  };

  const deliver = (text: ByteString): void => {
    counters.messagesReceived += 1;
    try {
      listener.onMessage(text, flow);
    } catch (error) {
      counters.listenerFailures += 1;
      listener.onFault?.(error);
    }
  };

  /** False when the stream is broken. */
  const handle = (frame: Frame): boolean => {
    if (frame.kind === 'message') deliver(frame.text);
    else if (frame.kind === 'ping') counters.keepAlives += 1;
    else {
      counters.streamsBroken += 1;
      reason = frame.sentence;
      if (frame.text !== undefined) deliver(frame.text);
      // A 400 to the message is sent before the connection closes; nothing more is read.
      isOver = true;
      socket.pause();
      socket.destroySoon();
      watch(limits.halfMessageMs);
      return false;
    }
    return true;
  };

  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
  socket.setTimeout(limits.idleMs, timeOut);
  if (isReady && limits.strangerMs !== undefined) probation = setTimeout(timeOut, limits.strangerMs);
  watch(isReady ? limits.halfMessageMs : limits.connectMs);
  if (readyEvent !== undefined) {
    socket.once(readyEvent, () => {
      unwatch();
      isReady = true;
      waitingSize = 0;
      for (const { target, text } of waiting.splice(0)) write(target, text);
      if (isEnding) socket.destroySoon();
    });
  }

  socket.on('data', (bytes: Buffer) => {
    if (isOver) return;
    const frames = framer.push(bytes.toString('latin1'));
    const hasMessage = frames.some((frame) => frame.kind === 'message');
    const hasPing = frames.some((frame) => frame.kind === 'ping');
    // The deadline runs from the first byte of a message, and no later byte extends it: slow senders time out.
    if (hasMessage) unwatch();
    if (framer.buffered > 0 && deadline === undefined) watch(limits.halfMessageMs);
    // One pong answers all pings of a packet, so a flood of pings is not amplified.
    if (hasPing && !isOver) socket.write('\r\n');
    for (const frame of frames) if (!handle(frame)) return;
  });
  socket.on('error', (error) => {
    reason ??= error.message;
  });
  socket.on('close', () => {
    isOver = true;
    unwatch();
    clearTimeout(probation);
    options.onClosed();
    for (const { target, text } of waiting.splice(0))
      failed(target, text, reason ?? 'The connection is closed.');
  });

  const failed = (target: SendTarget, text: ByteString, sentence: string): void => {
    counters.sendFailures += 1;
    listener.onSendFailed?.({ target, text, sentence });
  };

  const write = (target: SendTarget, text: ByteString): void => {
    counters.messagesSent += 1;
    socket.write(text, 'latin1', (error) => {
      if (error) failed(target, text, reason ?? error.message);
    });
  };

  return {
    flow,
    send(target, text) {
      // A broken stream stays writable for its last answer while it closes.
      const isFull = socket.writableLength + waitingSize + text.length > limits.sendQueueSize;
      if (socket.destroyed || !socket.writable || isFull) {
        const sentence = isFull ? 'The send queue is full.' : (reason ?? 'The connection is closed.');
        process.nextTick(failed, target, text, sentence);
        return;
      }
      if (isReady) write(target, text);
      else {
        waiting.push({ target, text });
        waitingSize += text.length;
      }
    },
    keep: () => clearTimeout(probation),
    end() {
      isEnding = true;
      if (isReady || waiting.length === 0) socket.destroySoon();
    },
    destroy: () => void socket.destroy(),
  };
}
