import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnBound } from './bound-child.ts';

/** A private NATS server on loopback, as long as the test; it ends with the process of the test. */
export interface NatsServer {
  /** `host:port` */
  readonly address: string;
  /** Kills the server until `up` is called, on the same port. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

/** Why `startNats` cannot start a server; undefined when it can. It is the reason of skipped tests. */
export function natsMissing(): string | undefined {
  try {
    execFileSync('nats-server', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'nats-server is not installed';
  }
}

/** Starts a server with these lines of configuration besides its port. */
export async function startNats(configuration = ''): Promise<NatsServer> {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-nats-'));
  const file = join(directory, 'nats.conf');
  writeFileSync(file, configuration);
  const started = await start(directory, file, -1);
  const { port } = started;
  let server: ChildProcess | undefined = started.server;

  async function down(): Promise<void> {
    const ending = server;
    server = undefined;
    if (ending === undefined) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGKILL');
    await ended;
  }

  return {
    address: `127.0.0.1:${port}`,
    down,
    async up() {
      server = (await start(directory, file, port)).server;
    },
    async stop() {
      await down();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function start(directory: string, file: string, port: number) {
  const options = ['-c', file, '-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', directory];
  const server = spawnBound('nats-server', options, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`nats-server ended: ${log}`)));
    server.stderr.on('data', (part) => {
      log += part;
      if (log.includes('Server is ready')) resolve();
    });
  });
  const listening = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(log);
  if (listening === null) throw new Error(`nats-server names no port: ${log}, ${readdirSync(directory)}`);
  return { server, port: Number(listening[1]) };
}
