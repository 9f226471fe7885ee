import type { Duplex } from 'node:stream';

/**
 * Resolves when the socket is closed, by a FIN or by a reset: a side that closes with unread bytes in its buffer sends a reset
 * (RFC 1122 §4.2.2.13), and Node reports that as an error before the close.
 */
export function untilClosed(socket: Duplex, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.closed) return resolve();
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Writes `bytes` every 10 ms until the socket is closed. */
export function drip(socket: Duplex, bytes: string | Uint8Array): void {
  const timer = setInterval(() => socket.write(bytes), 10);
  socket.once('close', () => clearInterval(timer));
}
