import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servePart } from '../part.ts';

export interface SlowHopStart {
  /** Where the socket of the PostgreSQL server is. */
  readonly directory: string;
  /** Each answer of the server is passed on this much later; whole milliseconds. */
  readonly delayMs: number;
}

/** The name that clients of PostgreSQL expect in the directory. */
const socketName = '.s.PGSQL.5432';
const own = mkdtempSync(join(tmpdir(), 'jackfield-slow-hop-'));
const server = createServer();

/** A database that is as far away as another machine: the loopback interface has no delay of its own. */
servePart({
  async start({ directory, delayMs }: SlowHopStart): Promise<string> {
    server.on('connection', (client) => {
      const target = createConnection(join(directory, socketName));
      client.pipe(target);
      // Timers of one length fire in the order of their start.
      target.on('data', (answer) => setTimeout(() => client.write(answer), delayMs));
      target.on('close', () => client.destroy());
      client.on('close', () => target.destroy());
      for (const socket of [client, target]) socket.on('error', () => {});
    });
    server.listen(join(own, socketName));
    await once(server, 'listening');
    return own;
  },
  stop() {
    rmSync(own, { recursive: true, force: true });
  },
});
