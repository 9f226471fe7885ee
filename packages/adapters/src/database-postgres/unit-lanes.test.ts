import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Database, UnitOptions, Write } from '@jackfield/ports';
import { createRecordingLog, type PostgresServer, postgresMissing, startPostgres } from '@jackfield/testkit';
import { sql } from 'kysely';
import { createPostgresDatabase } from './index.ts';

const incarnationLanes =
  'CREATE TABLE incarnation_lanes (incarnation BIGINT, lane INTEGER, PRIMARY KEY (incarnation, lane))';

const committed: UnitOptions = { isolation: 'read-committed' };

describe('units in lanes', { skip: postgresMissing() ?? false }, () => {
  let server: PostgresServer;
  let url: string;
  let database: Database;
  let other: Database;

  before(async () => {
    const started = await startPostgres();
    assert.ok(started.server !== undefined);
    server = started.server;
    url = await server.createDatabase();
    const open = () => createPostgresDatabase({ url, writers: 4, isShared: true, log: createRecordingLog() });
    [database, other] = [open(), open()];
    await database.migrate([
      { name: 't/1', sql: 'CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)' },
      { name: 'lanes/1', sql: incarnationLanes },
      { name: 't/2', sql: 'INSERT INTO t SELECT id, 0 FROM generate_series(1, 20) AS id' },
    ]);
  });
  after(async () => {
    await Promise.all([database.close(), other.close()]);
    await server.stop();
  });

  async function transactionOf(write: Write): Promise<unknown> {
    const { rows } = await sql<{ id: string }>`SELECT pg_current_xact_id()::text AS id`.execute(write);
    return rows[0]!.id;
  }

  /** Resolves when a statement waits for a lock. */
  async function untilOneWaits(): Promise<void> {
    for (;;) {
      const { rows } = await sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`.execute(
        other.read,
      );
      if (rows.length > 0) return;
    }
  }

  async function isolationOf(write: Write): Promise<unknown> {
    const { rows } = await sql<{
      level: string;
    }>`SELECT current_setting('transaction_isolation') AS level`.execute(write);
    return rows[0]!.level;
  }

  test('a unit is serializable by default, and shares no transaction with units of the other isolation', async () => {
    const levels = await Promise.all([
      database.transact(isolationOf),
      database.transact(isolationOf, committed),
      database.transact(isolationOf, { excluding: ['t'] }),
      database.transact(isolationOf),
    ]);
    assert.deepEqual(levels, ['serializable', 'read committed', 'serializable', 'serializable']);
  });

  test('a unit that is alone has a transaction without other units', async () => {
    const key = 'one lane';
    const ids = await Promise.all(
      [false, true, false, false].map((isAlone) =>
        database.transact(transactionOf, { ...committed, key, isAlone }),
      ),
    );
    assert.deepEqual(
      ids.map((id) => ids.indexOf(id)),
      [0, 1, 2, 2],
    );
  });

  test('units with one key run one after another in the order of their calls, beside units with other keys', async () => {
    const order: number[] = [];
    const held = Promise.withResolvers<void>();
    const keyOf = (lane: number) => {
      for (let number = 0; ; number++) if (database.laneOf(`key ${number}`) === lane) return `key ${number}`;
    };
    const [one, two] = [keyOf(1), keyOf(2)];
    const units = [1, 2, 3].map((number) =>
      database.transact(
        async () => {
          if (number === 1) await held.promise;
          order.push(number);
        },
        { ...committed, key: one },
      ),
    );
    // Resolves while the first lane waits.
    assert.equal(
      await database.transact(async (write) => database.laneOfUnit(write), { ...committed, key: two }),
      2,
    );
    held.resolve();
    await Promise.all(units);
    assert.deepEqual(order, [1, 2, 3]);
  });

  test('lanes of two nodes have different numbers', async () => {
    await other.transact(async (write) => {
      for (const lane of [0, 1, 2, 3])
        await sql`INSERT INTO incarnation_lanes VALUES (2, ${lane})`.execute(write);
    });
    other.join({ incarnation: 2, seat: 1, onEnded: () => assert.fail('no process has ended it') });
    const number = (node: Database) => node.transact(async (write) => node.laneOfUnit(write));
    assert.deepEqual([await number(database), await number(other)], [0, 64]);
  });

  test('after a conflict the halves of a group run again, and only the half with the conflict is divided', async () => {
    const transactions = new Map<number, unknown>();
    const runs = new Map<number, number>();
    // Unit 6 conflicts twice: with the whole group, and with its half.
    const rivals = 2;
    await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map((number) =>
        database.transact(async (write) => {
          const run = (runs.get(number) ?? 0) + 1;
          runs.set(number, run);
          transactions.set(number, await transactionOf(write));
          if (number === 6 && run <= rivals) {
            await other.transact((rival) => sql`UPDATE t SET n = n + 1 WHERE id = 6`.execute(rival));
          }
          await sql`UPDATE t SET n = n + 1 WHERE id = ${number}`.execute(write);
        }),
      ),
    );
    const groups = new Set(transactions.values());
    const same = (...numbers: readonly number[]) =>
      new Set(numbers.map((number) => transactions.get(number))).size === 1;
    assert.ok(same(1, 2, 3, 4));
    assert.ok(same(5, 6));
    assert.ok(same(7, 8));
    assert.equal(groups.size, 3);
    const { rows } = await sql<{ n: number }>`SELECT n FROM t WHERE id BETWEEN 1 AND 8 ORDER BY id`.execute(
      database.read,
    );
    assert.deepEqual(
      rows.map(({ n }) => n),
      [1, 1, 1, 1, 1, 1 + rivals, 1, 1],
    );
  });

  test('a unit that excludes a table begins after the units that hold locks on its rows, and sees what they wrote', async () => {
    const [locked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = other.transact(async (write) => {
      await sql`SELECT 1 FROM t WHERE id = 11 FOR KEY SHARE`.execute(write);
      locked.resolve();
      await go.promise;
      await sql`UPDATE t SET n = 7 WHERE id = 12`.execute(write);
    }, committed);
    await locked.promise;
    const excluding = database.transact(
      async (write) => (await sql<{ n: number }>`SELECT n FROM t WHERE id = 12`.execute(write)).rows[0]!.n,
      { excluding: ['t'] },
    );
    await untilOneWaits();
    go.resolve();
    await holder;
    assert.equal(await excluding, 7);
  });

  test('a process that dies while its statement waits for a lock loses its locks', async () => {
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [locked, waits] = [1, 2];
    const holder = other.transact(async (write) => {
      await sql`UPDATE t SET n = 1 WHERE id = ${locked}`.execute(write);
      begun.resolve();
      await held.promise;
    }, committed);
    await begun.promise;
    const gone = new Worker(
      `import { createPostgresDatabase } from ${JSON.stringify(import.meta.resolve('./index.ts'))};
      import { sql } from ${JSON.stringify(import.meta.resolve('kysely'))};
      import { workerData } from 'node:worker_threads';
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const database = createPostgresDatabase({ url: workerData, isShared: true, log });
      await database.transact(async (write) => {
        await sql\`UPDATE t SET n = 2 WHERE id = ${waits}\`.execute(write);
        await sql\`UPDATE t SET n = 2 WHERE id = ${locked}\`.execute(write);
      }, { isolation: 'read-committed' });`,
      { eval: true, workerData: url },
    );
    await untilOneWaits();
    // Its sockets are closed, as those of a killed process are.
    await gone.terminate();
    await database.transact((write) => sql`UPDATE t SET n = 3 WHERE id = ${waits}`.execute(write), committed);
    held.resolve();
    await holder;
    const { rows } = await sql`SELECT n FROM t WHERE id IN (${locked}, ${waits}) ORDER BY id`.execute(
      database.read,
    );
    assert.deepEqual(rows, [{ n: 1 }, { n: 3 }]);
  });

  test('the end of an incarnation waits for its running transaction, and none of its units commits afterwards', async () => {
    const url = await server.createDatabase();
    const [fenced, successor] = [1, 2].map(() =>
      createPostgresDatabase({ url, writers: 2, isShared: true, log: createRecordingLog() }),
    );
    await fenced!.migrate([
      { name: 't/1', sql: 'CREATE TABLE t (id BIGINT PRIMARY KEY)' },
      { name: 'lanes/1', sql: `${incarnationLanes}; INSERT INTO incarnation_lanes VALUES (7, 0), (7, 1)` },
    ]);
    let ends = 0;
    fenced!.join({ incarnation: 7, seat: 0, onEnded: () => ends++ });
    const insert = (id: number, options?: UnitOptions) =>
      fenced!.transact((write) => sql`INSERT INTO t VALUES (${id})`.execute(write), options);
    await insert(1);
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const underWay = fenced!.transact(async (write) => {
      await sql`INSERT INTO t VALUES (2)`.execute(write);
      begun.resolve();
      await go.promise;
    });
    await begun.promise;
    const end = successor!.transact((write) =>
      sql`DELETE FROM incarnation_lanes WHERE incarnation = 7`.execute(write),
    );
    go.resolve();
    await Promise.all([underWay, end]);
    await assert.rejects(insert(3), { code: 'incarnation-ended' });
    await assert.rejects(insert(4, committed), { code: 'incarnation-ended' });
    await assert.rejects(
      fenced!.transact((write) => sql`INSERT INTO t VALUES (5)`.execute(write), { excluding: ['t'] }),
      { code: 'incarnation-ended' },
    );
    const { rows } = await sql`SELECT id FROM t ORDER BY id`.execute(successor!.read);
    assert.deepEqual(rows, [{ id: 1 }, { id: 2 }]);
    assert.equal(ends, 1);
    await Promise.all([fenced!.close(), successor!.close()]);
  });
});
