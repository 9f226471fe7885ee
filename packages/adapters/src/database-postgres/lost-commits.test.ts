import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { createRecordingLog, type PostgresServer, postgresMissing, startPostgres } from '@jackfield/testkit';
import { sql } from 'kysely';
import { createPostgresDatabase } from './index.ts';

const table = { name: 't/1', sql: 'CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)' };
const socketName = '.s.PGSQL.5432';

/** A proxy between a database and its server, which loses the connection around the next COMMIT. */
class LossyServer {
  readonly #directory = mkdtempSync(join(tmpdir(), 'jackfield-lossy-'));
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  /** `commit`: it never arrives. `answer`: it arrives, and its answer does not; `meanwhile` runs before the client notices. */
  loses: 'commit' | 'answer' | undefined;
  meanwhile: () => Promise<void> = async () => {};

  private constructor(directory: string) {
    this.#server = createServer((client) =>
      this.#pass(client, createConnection(join(directory, socketName))),
    );
  }

  static async before(url: string): Promise<{ lossy: LossyServer; url: string }> {
    const lossy = new LossyServer(new URL(url).searchParams.get('host') ?? assert.fail(url));
    await new Promise<void>((resolve) => lossy.#server.listen(join(lossy.#directory, socketName), resolve));
    const changed = new URL(url);
    changed.searchParams.set('host', lossy.#directory);
    return { lossy, url: changed.href };
  }

  #pass(client: Socket, server: Socket): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
    server.on('data', (answer) => client.write(answer));
    client.on('data', (order) => {
      const lost = order.includes('COMMIT\0') ? this.loses : undefined;
      if (lost === undefined) {
        server.write(order);
        return;
      }
      this.loses = undefined;
      if (lost === 'commit') {
        client.destroy();
        return;
      }
      server.removeAllListeners('data');
      server.on('data', (answer) => {
        if (answer.includes('COMMIT\0')) void this.meanwhile().then(() => client.destroy());
      });
      server.write(order);
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

describe('a connection that is lost during a commit', { skip: postgresMissing() ?? false }, () => {
  let server: PostgresServer;
  let lossy: LossyServer;
  let database: Database;

  before(async () => {
    const started = await startPostgres();
    assert.ok(started.server !== undefined);
    server = started.server;
  });
  after(() => server.stop());
  beforeEach(async () => {
    const opened = await LossyServer.before(await server.createDatabase());
    lossy = opened.lossy;
    database = createPostgresDatabase({ url: opened.url, log: createRecordingLog() });
    await database.migrate([table]);
  });
  afterEach(async () => {
    await database.close();
    await lossy.close();
  });

  const insert = (id: number) =>
    database.transact((write) => sql`INSERT INTO t VALUES (${id}, 0)`.execute(write).then(() => id));

  async function rowsOf(): Promise<readonly number[]> {
    const { rows } = await sql<{ id: number }>`SELECT id FROM t ORDER BY id`.execute(database.read);
    return rows.map(({ id }) => Number(id));
  }

  test('a commit that was made succeeds, and the lane goes on', async () => {
    await insert(1);
    lossy.loses = 'answer';
    assert.deepEqual(await Promise.all([insert(2), insert(3)]), [2, 3]);
    assert.equal(await insert(4), 4);
    assert.deepEqual(await rowsOf(), [1, 2, 3, 4]);
  });

  test('a commit that never arrived fails, and has written nothing', async () => {
    await insert(1);
    lossy.loses = 'commit';
    await assert.rejects(insert(2), { code: 'database-unavailable', message: /lost during a commit/ });
    assert.equal(await insert(2), 2);
    assert.deepEqual(await rowsOf(), [1, 2]);
  });

  test('the outcome is known when the server is back', async () => {
    await insert(1);
    lossy.loses = 'answer';
    const away = Promise.withResolvers<void>();
    lossy.meanwhile = async () => {
      await server.down();
      away.resolve();
    };
    let isSettled = false;
    const unit = insert(2).finally(() => {
      isSettled = true;
    });
    await away.promise;
    // Other units are refused meanwhile, and do not wait.
    await assert.rejects(insert(3), { code: 'database-unavailable' });
    assert.ok(!isSettled);
    await server.up();
    assert.equal(await unit, 2);
    assert.deepEqual(await rowsOf(), [1, 2]);
  });

  test('a database that is closed before the outcome is known rejects with that reason', async () => {
    lossy.loses = 'answer';
    const away = Promise.withResolvers<void>();
    lossy.meanwhile = async () => {
      await server.down();
      away.resolve();
    };
    const refused = assert.rejects(insert(1), { message: /not known whether the commit was made/ });
    await away.promise;
    try {
      await assert.rejects(insert(2), { code: 'database-unavailable' });
      await database.close();
      await refused;
    } finally {
      await server.up();
    }
  });
});
