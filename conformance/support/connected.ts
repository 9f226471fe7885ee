import type { ChildProcess } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Connects to a port of 127.0.0.1 on which a program listens some time after its start: a refused connection is tried again. Rejects when
 * the program has ended, and after `withinMs`.
 */
export async function connected(port: number, child: ChildProcess, withinMs = Infinity): Promise<Socket> {
  const limit = Date.now() + withinMs;
  for (;;) {
    const socket = await attempt(port);
    if (socket !== undefined) return socket;
    const { exitCode, signalCode, spawnfile } = child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`${spawnfile} ended with ${exitCode ?? signalCode} and did not listen on port ${port}`);
    if (Date.now() >= limit) throw new Error(`${spawnfile} did not listen on port ${port} in ${withinMs} ms`);
    await wait(20);
  }
}

/** Resolves when the program listens there. */
export async function listening(port: number, child: ChildProcess): Promise<void> {
  (await connected(port, child)).destroy();
}

/** Undefined when the connection is refused. */
function attempt(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined));
  });
}
