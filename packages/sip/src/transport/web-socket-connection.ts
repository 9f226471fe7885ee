import { isUtf8 } from 'node:buffer';
import type { RawData, WebSocket } from 'ws';
import type { Flow } from '../message/flow.ts';
import type { ByteString } from '../message/message.ts';
import type { TransportCounters } from './counters.ts';
import type { OpenConnection } from './open-connections.ts';
import type { SendTarget, TransportListener } from './transport-listener.ts';

/** Limits of one socket; see `WebSocketLimits`. */
export interface WebSocketConnectionLimits {
  readonly sendQueueSize: number;
  readonly firstMessageMs: number;
  readonly strangerMs?: number;
}

/** One WebSocket of a SIP client. */
export interface WebSocketConnection extends OpenConnection {
  /** Sends a ping; terminates the socket if the last one has no answer (RFC 7118 §6). */
  ping(): void;
}

/** Options of a connection. */
export interface WebSocketConnectionOptions {
  readonly webSocket: WebSocket;
  readonly flow: Flow;
  readonly limits: WebSocketConnectionLimits;
  readonly listener: TransportListener;
  readonly counters: TransportCounters;
  onClosed(): void;
}

// RFC 6455 §7.4.1: the server goes away.
const GOING_AWAY = 1001;

/** Runs SIP over a WebSocket: each WebSocket message is one SIP message (RFC 7118 §5). */
export function createWebSocketConnection(options: WebSocketConnectionOptions): WebSocketConnection {
  const { webSocket, flow, limits, listener, counters } = options;
  let isAlive = true;
  /** A message was lost; the socket reports its end later. */
  let isBroken = false;
  const isOpen = (): boolean => !isBroken && webSocket.readyState === webSocket.OPEN;
  const timeOut = (): void => {
    counters.connectionsTimedOut += 1;
    webSocket.terminate();
  };
  let deadline: NodeJS.Timeout | undefined = setTimeout(timeOut, limits.firstMessageMs);
  const { strangerMs } = limits;
  const probation = strangerMs === undefined ? undefined : setTimeout(timeOut, strangerMs);
  const unwatch = (): void => {
    clearTimeout(deadline);
    deadline = undefined;
  };

  webSocket.on('message', (data: RawData) => {
    isAlive = true;
    // With the default binary type a message is one Buffer.
    const text = (data as Buffer).toString('latin1');
    if (isKeepAlive(text)) {
      counters.keepAlives += 1;
      // RFC 5626 §4.4.1: a double CRLF is a ping, answered with one CRLF, which in turn is never answered.
      if (text.length >= 4 && webSocket.bufferedAmount === 0) webSocket.send('\r\n', ignoreFailure);
      return;
    }
    if (deadline !== undefined) unwatch();
    counters.messagesReceived += 1;
    try {
      listener.onMessage(text, flow);
    } catch (error) {
      counters.listenerFailures += 1;
      listener.onFault?.(error);
    }
  });
  webSocket.on('pong', () => {
    isAlive = true;
  });
  webSocket.on('error', (error) => {
    // Malformed frames, or a message above the limit: `ws` closes with the code of RFC 6455 §7.4.1.
    counters.streamsBroken += 1;
    if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') counters.oversizedDropped += 1;
  });
  webSocket.on('close', () => {
    unwatch();
    clearTimeout(probation);
    options.onClosed();
  });

  const failed = (target: SendTarget, text: ByteString, sentence: string): void => {
    counters.sendFailures += 1;
    listener.onSendFailed?.({ target, text, sentence });
  };

  return {
    flow,
    get isOpen() {
      return isOpen();
    },
    send(target, text) {
      const isFull = webSocket.bufferedAmount + text.length > limits.sendQueueSize;
      if (isFull || !isOpen()) {
        process.nextTick(
          failed,
          target,
          text,
          isFull ? 'The send queue is full.' : 'The connection is closed.',
        );
        return;
      }
      counters.messagesSent += 1;
      const bytes = Buffer.from(text, 'latin1');
      // Browsers expect text; anything other than UTF-8 must be binary (RFC 7118 §4.2 allows both).
      webSocket.send(bytes, { binary: !isUtf8(bytes) }, (error) => {
        if (!error) return;
        isBroken = true;
        failed(target, text, error.message);
      });
    },
    ping() {
      if (!isAlive) {
        counters.connectionsTimedOut += 1;
        webSocket.terminate();
        return;
      }
      isAlive = false;
      if (isOpen()) webSocket.ping(ignoreFailure);
    },
    keep: () => clearTimeout(probation),
    end: () => webSocket.close(GOING_AWAY),
    destroy: () => webSocket.terminate(),
  };
}

function isKeepAlive(text: string): boolean {
  if (text.length > 4) return false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 0x0d && code !== 0x0a && code !== 0) return false;
  }
  return true;
}

/** A failed socket emits `close`, which handles the failure. */
function ignoreFailure(): void {}
