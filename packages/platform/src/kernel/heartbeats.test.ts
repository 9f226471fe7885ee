import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database, Migration } from '@jackfield/ports';
import {
  createRecordingLog,
  createVirtualClock,
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { createIncarnation, incarnationMigrations } from './incarnation.ts';
import { succeedIncarnation } from './incarnation-store.ts';
import { outboxMigrations } from './outbox.ts';

const committed = { isolation: 'read-committed' } as const;
const writers = 4;
const written: Migration = {
  name: 't/1',
  sql: `CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT NOT NULL);
    INSERT INTO t SELECT id, 0 FROM generate_series(0, ${writers - 1}) AS id`,
};

describe('heartbeats of a node on PostgreSQL', { skip: postgresMissing() ?? false }, () => {
  let server: PostgresServer;
  let database: Database;
  /** Of another process; as it is no node, the server does not end its transaction while a test holds it. */
  let rival: Database;

  before(async () => {
    const started = await startPostgres();
    assert.ok(started.server !== undefined);
    server = started.server;
    const url = await server.createDatabase();
    const log = createRecordingLog();
    database = createPostgresDatabase({ url, writers, isShared: true, log });
    rival = createPostgresDatabase({ url, log });
    await database.migrate([...outboxMigrations, ...incarnationMigrations, written]);
  });
  after(async () => {
    await Promise.all([database.close(), rival.close()]);
    await server.stop();
  });

  async function startNode(
    onEnded: () => void = () => assert.fail('no process has ended it'),
    { startAt = Date.now(), log = createRecordingLog() } = {},
  ) {
    const clock = createVirtualClock({ startAt });
    const secrets = createSecrets(crypto.getRandomValues(new Uint8Array(32)));
    const alive = createIncarnation({
      database,
      clock,
      log,
      secrets,
      node: 'one',
      onEnded,
    });
    await alive.begin();
    return {
      alive,
      /** Resolves when the next heartbeat has been written. */
      async heartbeat(): Promise<void> {
        const heard = new Promise<void>((resolve) => alive.onHeartbeat(() => resolve()));
        await clock.advance(2_000);
        await heard;
      },
      advance: () => clock.advance(2_000),
    };
  }

  function keyOfLane(lane: number): string {
    for (let number = 0; ; number++) if (database.laneOf(`key ${number}`) === lane) return `key ${number}`;
  }

  /** Resolves with their end once each lane waits for a row that the rival holds. */
  async function blockLanes() {
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = rival.transact(async (write) => {
      await sql`SELECT 1 FROM t FOR UPDATE`.execute(write);
      locked.resolve();
      await release.promise;
    }, committed);
    await locked.promise;
    const units = Array.from({ length: writers }, (_, lane) =>
      database.transact((write) => sql`UPDATE t SET n = n + 1 WHERE id = ${lane}`.execute(write), {
        ...committed,
        key: keyOfLane(lane),
      }),
    );
    for (let waiting = 0; waiting < writers; ) {
      const { rows } = await sql`
        SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`.execute(
        rival.read,
      );
      waiting = rows.length;
    }
    return { units: [holding, ...units], release: release.resolve };
  }

  test('heartbeats wait neither for a long unit in each lane nor for a burst of writes behind it', async () => {
    const node = await startNode();
    const { units, release } = await blockLanes();
    const burst = Array.from({ length: 400 }, (_, number) =>
      database.transact((write) => sql`INSERT INTO t VALUES (${1_000 + number}, 0)`.execute(write), {
        ...(number % 5 === 0 ? {} : { ...committed, key: keyOfLane(number % writers) }),
      }),
    );
    let ended = 0;
    const all = [...units, ...burst].map((unit) => unit.finally(() => ended++));
    try {
      for (let beat = 1; beat <= 3; beat++) {
        await node.heartbeat();
        assert.equal(ended, 0, `heartbeat ${beat} has waited`);
      }
    } finally {
      release();
      await Promise.allSettled(all);
      await node.alive.close();
    }
  });

  test('a node whose clock is an hour ahead of that of the database, or behind it, says so', async () => {
    const hourMs = 3_600_000;
    for (const ahead of [hourMs, -hourMs]) {
      const log = createRecordingLog();
      const node = await startNode(undefined, { startAt: Date.now() + ahead, log });
      await node.heartbeat();
      // The clock of a test stands still while the database answers.
      assert.ok(Math.abs(node.alive.clockSkew.ms - ahead) < 60_000, `${node.alive.clockSkew.ms} ms`);
      const warned = log.lines.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence);
      assert.deepEqual(warned, ['the clock of this machine differs from that of the database']);
      await node.alive.close();
    }
  });

  test('the heartbeat of a node that another one has ended is refused, and ends it', async () => {
    const ended = Promise.withResolvers<void>();
    const node = await startNode(ended.resolve);
    await node.heartbeat();
    const { number: incarnation } = node.alive;
    const taken = { incarnation, seen: { beat: 1 }, by: 7, wallNow: 0 };
    assert.ok((await succeedIncarnation(rival, taken)) !== undefined);
    await node.advance();
    await ended.promise;
    await node.alive.close();
    const { rows } = await sql<{ beat: number }>`
      SELECT beat FROM incarnations WHERE incarnation = ${incarnation}`.execute(rival.read);
    assert.equal(Number(rows[0]?.beat), 1);
  });
});
