import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Database, Read } from '@jackfield/ports';
import {
  createRecordingLog,
  databaseContract,
  killedWhileWriting,
  onPostgres,
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { createPostgresDatabase } from './index.ts';

onPostgres('the database port', databaseContract);

const table = { name: 't/1', sql: 'CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)' };

describe('a PostgreSQL server that fails', { skip: postgresMissing() ?? false }, () => {
  let server: PostgresServer;
  before(async () => {
    const started = await startPostgres({ durable: true });
    assert.ok(started.server !== undefined);
    server = started.server;
  });
  after(() => server.stop());

  async function withDatabase(use: (database: Database, again: Database) => Promise<void>): Promise<void> {
    const url = await server.createDatabase();
    const opened = [1, 2].map((writers) =>
      createPostgresDatabase({ url, poolSize: 4, writers, log: createRecordingLog() }),
    );
    try {
      await opened[0]!.migrate([table]);
      await use(opened[0]!, opened[1]!);
    } finally {
      await Promise.all(opened.map((database) => database.close()));
    }
  }

  test('a statement without an answer loses its connection, and the next read has another one', async () => {
    const url = await server.createDatabase();
    // The statements that are answered have it as well, on a busy machine too.
    const answerMs = 1_000;
    const database = createPostgresDatabase({
      url,
      poolSize: 2,
      writers: 1,
      answerMs,
      log: createRecordingLog(),
    });
    try {
      for (const at of [database.read, undefined]) {
        const sleep = async (read: Read) => sql`SELECT pg_sleep(5)`.execute(read);
        await assert.rejects(at === undefined ? database.transact(sleep) : sleep(at), {
          code: 'database-unavailable',
        });
        await sql`SELECT 1`.execute(database.read);
        await database.transact((write) => sql`SELECT 1`.execute(write));
      }
    } finally {
      await database.close();
    }
  });

  test('a connection that is lost the moment it is ready is a clear error, for reads, units and heartbeats', async () => {
    const real = new URL(await server.createDatabase());
    const socketIn = (directory: string) => join(directory, '.s.PGSQL.5432');
    const directory = await mkdtemp(join(tmpdir(), 'lost-'));
    let isLost = true;
    const proxy = createServer((near) => {
      const far = connect(socketIn(real.searchParams.get('host')!));
      far.on('data', (bytes) => {
        near.write(bytes);
        // ReadyForQuery, five bytes from its type to its length: the statement that follows meets a closed socket.
        if (isLost && bytes.includes(Buffer.of(0x5a, 0, 0, 0, 5))) near.destroy();
      });
      near.on('data', (bytes) => far.write(bytes));
      near.on('error', () => {}).on('close', () => far.destroy());
      far.on('error', () => {}).on('close', () => near.destroy());
    });
    proxy.listen(socketIn(directory));
    await once(proxy, 'listening');
    const url = new URL(real);
    url.searchParams.set('host', directory);
    const shared = { url: url.href, poolSize: 4, writers: 1, isShared: true, log: createRecordingLog() };
    const database = createPostgresDatabase(shared);
    const one = async (read: Read) => sql`SELECT 1`.execute(read);
    const all = [
      () => one(database.read),
      () => database.transact(one),
      () => database.transact(one, { isHeartbeat: true }),
    ];
    try {
      for (const each of all) await assert.rejects(each(), { code: 'database-unavailable' });
      isLost = false;
      for (const each of all) await each();
    } finally {
      await database.close();
      proxy.close();
      await rm(directory, { recursive: true });
    }
  });

  test('a lost connection is a clear error, and the next transaction and the next read connect again', async () => {
    await withDatabase(async (database) => {
      const insert = (id: number) =>
        database.transact((write) => sql`INSERT INTO t VALUES (${id}, 0)`.execute(write));
      await insert(1);
      await sql`SELECT 1`.execute(database.read);
      const cut = database.transact(async (write) => {
        await sql`INSERT INTO t VALUES (2, 0)`.execute(write);
        await sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(write);
      });
      const neighbour = insert(3);
      await assert.rejects(cut, {
        name: 'DatabaseUnavailableError',
        message: /connection to the database was lost/,
      });
      await assert.rejects(neighbour, { code: 'database-unavailable' });
      await insert(4);
      await assert.rejects(sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(database.read), {
        code: 'database-unavailable',
      });
      const { rows } = await sql`SELECT id FROM t ORDER BY id`.execute(database.read);
      assert.deepEqual(rows, [{ id: 1 }, { id: 4 }]);
    });
  });

  test('after a restart of the server the database connects again and has every acknowledged row', async () => {
    await withDatabase(async (database) => {
      await database.transact((write) => sql`INSERT INTO t VALUES (1, 0)`.execute(write));
      await server.crashAndRestart();
      // The pool may still hold connections to the stopped server: at most one use of each fails.
      const attempt = () => database.transact((write) => sql`INSERT INTO t VALUES (2, 0)`.execute(write));
      await attempt().catch((error) => {
        assert.equal(error.code, 'database-unavailable');
        return attempt();
      });
      const read = () => sql`SELECT id FROM t ORDER BY id`.execute(database.read);
      const { rows } = await read().catch(read);
      assert.deepEqual(rows, [{ id: 1 }, { id: 2 }]);
    });
  });

  test('a server without space or memory is unavailable to the units of a group, which keep their connection', async () => {
    await withDatabase(async (database) => {
      const run = (text: string) => database.transact((write) => sql.raw(text).execute(write));
      const insert = (id: number) =>
        database.transact(async (write) => {
          await sql`INSERT INTO t VALUES (${id}, 0)`.execute(write);
          const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(write);
          return rows[0]!.pid;
        });
      const pid = await insert(1);
      await run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'no space left' USING ERRCODE = TG_ARGV[0]; END $$`);
      for (const code of ['53000', '53100', '53200', '53300']) {
        await run(`CREATE TRIGGER no_space BEFORE INSERT ON t EXECUTE FUNCTION refuse('${code}')`);
        for (const ids of [[2], [3, 4]])
          for (const outcome of await Promise.allSettled(ids.map(insert))) {
            assert.ok(outcome.status === 'rejected');
            assert.equal(outcome.reason.code, 'database-unavailable');
            assert.equal(outcome.reason.cause.code, code);
          }
        await run('DROP TRIGGER no_space ON t');
      }
      assert.equal(await insert(2), pid);
    });
  });

  test('a server that has become read-only is unavailable to units, serves reads, and gets new connections', async () => {
    await withDatabase(async (database) => {
      const serializable = () => database.transact((write) => sql`UPDATE t SET n = n + 1`.execute(write));
      const readCommitted = () =>
        database.transact((write) => sql`UPDATE t SET n = n + 1`.execute(write), {
          isolation: 'read-committed',
        });
      const empty = () => database.transact(async () => {});
      await database.transact((write) => sql`INSERT INTO t VALUES (1, 0)`.execute(write));
      await server.demote();
      const read = () => sql<{ n: number }>`SELECT n FROM t`.execute(database.read);
      try {
        // The pool may still hold connections to the stopped server.
        await Promise.allSettled([serializable(), readCommitted(), read()]);
        for (const unit of [serializable, readCommitted, empty])
          await assert.rejects(unit(), { code: 'database-unavailable', message: /read-only/ });
        assert.deepEqual((await read()).rows, [{ n: 0 }]);
      } finally {
        await sql`SELECT pg_promote()`.execute(database.read);
      }
      await serializable();
      await readCommitted();
      assert.deepEqual((await read()).rows, [{ n: 2 }]);
    });
  });

  test('a connection on which the server only reads is replaced at the next unit', async () => {
    await withDatabase(async (database) => {
      const insert = (id: number) =>
        database.transact((write) => sql`INSERT INTO t VALUES (${id}, 0)`.execute(write));
      // The setting of a session that began while the server was read-only.
      await database.transact((write) => sql`SET default_transaction_read_only = on`.execute(write));
      await assert.rejects(insert(1), { code: 'database-unavailable', message: /read-only/ });
      await insert(1);
    });
  });

  test('a read that writes is a fault of its caller, not of the server', async () => {
    await withDatabase(async (database) => {
      await assert.rejects(sql`DELETE FROM t`.execute(database.read), { code: '25006' });
    });
  });

  test('no server at all is a clear error', async () => {
    const url = 'postgresql://postgres@localhost/none?host=%2Fnowhere';
    const database = createPostgresDatabase({ url, log: createRecordingLog() });
    const unavailable = { code: 'database-unavailable' };
    await assert.rejects(
      database.transact((write) => sql`SELECT 1`.execute(write)),
      unavailable,
    );
    await assert.rejects(sql`SELECT 1`.execute(database.read), unavailable);
    await assert.rejects(database.migrate([]), unavailable);
    await database.close();
  });

  test('concurrent read-decide-write transactions of two nodes on one row lose no change', async () => {
    await withDatabase(async (one, other) => {
      await one.transact((write) => sql`INSERT INTO t VALUES (1, 0)`.execute(write));
      const raise = (database: Database) =>
        database.transact(async (write) => {
          const { rows } = await sql<{ n: number }>`SELECT n FROM t WHERE id = 1`.execute(write);
          await sql`UPDATE t SET n = ${rows[0]!.n + 1} WHERE id = 1`.execute(write);
        });
      for (let turn = 0; turn < 10; turn++) {
        await Promise.all([raise(one), raise(other), raise(one), raise(other)]);
      }
      const { rows } = await sql`SELECT n FROM t`.execute(one.read);
      assert.deepEqual(rows, [{ n: 40 }]);
    });
  });

  test('two nodes that start together migrate one after the other', async () => {
    await withDatabase(async (one, other) => {
      const migrations = [table, { name: 't/2', sql: 'INSERT INTO t VALUES (7, 7)' }];
      await Promise.all([one.migrate(migrations), other.migrate(migrations)]);
      const { rows } = await sql`SELECT id FROM t`.execute(one.read);
      assert.deepEqual(rows, [{ id: 7 }]);
    });
  });

  test('a table that another node has changed can still be read and written', async () => {
    await withDatabase(async (one, other) => {
      const read = () => sql`SELECT * FROM t`.execute(one.read);
      const write = () =>
        one.transact((write) =>
          sql`INSERT INTO t (id, n) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n = 2 RETURNING *`.execute(
            write,
          ),
        );
      await read();
      await write();
      await other.migrate([table, { name: 't/2', sql: 'ALTER TABLE t ADD COLUMN more TEXT' }]);
      assert.deepEqual((await write()).rows, [{ id: 1, n: 2, more: null }]);
      assert.deepEqual((await read().catch(read)).rows, [{ id: 1, n: 2, more: null }]);
    });
  });

  test('every row that was acknowledged before kill -9 of the node is kept', async () => {
    const url = await server.createDatabase();
    const { acknowledged, child } = killedWhileWriting(
      join(import.meta.dirname, 'index.ts'),
      'createPostgresDatabase',
      { url },
    );
    await acknowledged(300);
    child.kill('SIGKILL');
    await once(child, 'close');
    const last = await acknowledged(0);
    await server.crashAndRestart();
    const database = createPostgresDatabase({ url, log: createRecordingLog() });
    const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM written WHERE n <= ${last}`.execute(
      database.read,
    );
    assert.deepEqual(rows, [{ n: last + 1 }]);
    await database.close();
  });
});
