import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnBound } from './bound-child.ts';
import { eachLine, Happenings } from './lines.ts';
import { freePort, rtpRange } from './ports.ts';

/** Debian's coturn as docs/guides/browsers.md#a-turn-server configures it, on loopback and without TLS. */
export class TurnServer {
  readonly log = new Happenings<string>();
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(child: ChildProcess, port: number, directory: string) {
    this.#child = child;
    this.port = port;
    this.#directory = directory;
    for (const stream of [child.stdout!, child.stderr!]) eachLine(stream, (line) => this.log.add(line));
    child.once('exit', (code) => this.log.close(`turnserver ended with ${code}`));
  }

  static async start(secret: string, listeningAddress = '127.0.0.1'): Promise<TurnServer> {
    const directory = await mkdtemp(join(tmpdir(), 'coturn-'));
    const port = await freePort();
    const relay = rtpRange();
    const options = {
      'listening-ip': listeningAddress,
      'listening-port': port,
      'relay-ip': listeningAddress,
      'min-port': relay.first,
      'max-port': relay.last,
      realm: 'turn.example.com',
      'static-auth-secret': secret,
      'denied-peer-ip': '0.0.0.0-255.255.255.255',
      'allowed-peer-ip': '127.0.0.1',
      userdb: join(directory, 'turndb'),
      pidfile: join(directory, 'pid'),
      'log-file': 'stdout',
    };
    const flags = ['use-auth-secret', 'allow-loopback-peers', 'no-cli', 'no-tls', 'no-dtls', 'verbose'];
    const named = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const child = spawnBound('turnserver', ['-n', ...named, ...flags.map((flag) => `--${flag}`)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const server = new TurnServer(child, port, directory);
    await server.log.until('coturn listens over TCP', (line) => /IPv4.*TCP listener opened/i.test(line));
    return server;
  }

  url(transport: 'udp' | 'tcp'): string {
    return `turn:127.0.0.1:${this.port}?transport=${transport}`;
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'exit');
    }
    await rm(this.#directory, { recursive: true, force: true });
  }
}
