import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Lost = 'request' | 'answer';

/** A proxy before a server of PostgreSQL that loses one connection at a COMMIT: before the server has it, or behind its answer. */
export class CutConnections {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #lost: Lost | undefined;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async before(url: string): Promise<CutConnections> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const through = new URL(url);
    // A server of tests listens in a directory alone.
    const socket = `${through.searchParams.get('host')}/.s.PGSQL.${through.port || 5432}`;
    through.searchParams.delete('host');
    through.hostname = '127.0.0.1';
    through.port = String((server.address() as AddressInfo).port);
    const cut = new CutConnections(server, through.href);
    server.on('connection', (client) => cut.#join(client, connect(socket)));
    return cut;
  }

  /** The next COMMIT, or the answer to it, does not arrive, and its connection is closed. */
  cutAtCommit(lost: Lost): void {
    this.#lost = lost;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    let isCut = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.on('data', (data) => {
      const lost = data.includes('COMMIT') ? this.#lost : undefined;
      if (lost !== undefined) this.#lost = undefined;
      if (lost === 'request') end();
      else server.write(data);
      isCut ||= lost === 'answer';
    });
    server.on('data', (data) => {
      if (isCut && data.includes('COMMIT')) end();
      else client.write(data);
    });
  }
}
