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
  /** How long a connection may take to its first message, and a begun message to its end, 20,000. */
  readonly halfMessageMs: number;
  /** How long connecting to a peer may take, and a TLS handshake from its first byte to its last, 10,000. */
  readonly connectMs: number;
  /** A connection of theirs is closed after this unless it was kept by then, whatever it sends; never when left out. */
  readonly strangerMs?: number;
  /** Characters that may wait for a peer that does not read, 1 MiB. */
  readonly sendQueueSize: number;
}

/** One TCP or TLS connection, ours or theirs. */
export interface StreamConnection {
  readonly flow: Flow;
  /** Sends, or keeps until the connection stands; a failure comes back through the listener. */
  send(target: SendTarget, text: ByteString): void;
  /** Whoever is there has shown who it is. */
  keep(): void;
  /** Lets what was sent leave, then closes. */
  end(): void;
  destroy(): void;
}

/** What a connection is made of. */
export interface StreamConnectionOptions {
  readonly socket: Socket;
  readonly flow: Flow;
  /** The event after which a connection of ours may be written to; absent for theirs, which stand already. */
  readonly readyEvent?: 'connect' | 'secureConnect';
  readonly limits: ConnectionLimits;
  readonly listener: TransportListener;
  readonly counters: TransportCounters;
  onClosed(): void;
}

/** Runs SIP over a socket: frames what comes in, bounds what goes out, and watches the time. */
export function createStreamConnection(options: StreamConnectionOptions): StreamConnection {
  const { socket, flow, readyEvent, limits, listener, counters } = options;
  const framer = createStreamFramer(limits.messageSize);
  let isOver = false;
  // Nothing is handed to a socket before the peer behind it is known to be the right one.
  let isReady = readyEvent === undefined;
  let isEnding = false;
  const waiting: { readonly target: SendTarget; readonly text: ByteString }[] = [];
  let waitingSize = 0;
  let reason: string | undefined;
  // One deadline serves three waits: for the connection, for its first message, and for the end of a begun message.
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

  /** Whether the stream can still be followed. */
  const take = (frame: Frame): boolean => {
    if (frame.kind === 'message') deliver(frame.text);
    else if (frame.kind === 'ping') counters.keepAlives += 1;
    else {
      counters.streamsBroken += 1;
      reason = frame.sentence;
      if (frame.text !== undefined) deliver(frame.text);
      // The 400 that the message may have earned leaves before the connection goes; nothing more is read.
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
    // The deadline runs from the first byte of a message and no later byte moves it: a slow sender gains nothing.
    if (hasMessage) unwatch();
    if (framer.buffered > 0 && deadline === undefined) watch(limits.halfMessageMs);
    // One pong answers all pings of a packet, so a flood of them is not answered byte for byte.
    if (hasPing && !isOver) socket.write('\r\n');
    for (const frame of frames) if (!take(frame)) return;
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
      // While a broken stream is being closed its last answer may still be written.
      const isFull = socket.writableLength + waitingSize + text.length > limits.sendQueueSize;
      if (socket.destroyed || !socket.writable || isFull) {
        const sentence = isFull ? 'The peer does not read.' : (reason ?? 'The connection is closed.');
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
