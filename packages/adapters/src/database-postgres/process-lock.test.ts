import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRecordingLog, type PostgresServer, postgresMissing, startPostgres } from '@jackfield/testkit';
import pg from 'pg';
import { type ProcessLock, takeProcessLock } from './index.ts';

describe('the lock of a process', { skip: postgresMissing() ?? false }, () => {
  let server: PostgresServer;
  let url: string;

  before(async () => {
    const started = await startPostgres();
    assert.ok(started.server !== undefined);
    server = started.server;
    url = await server.createDatabase();
  });
  after(() => server.stop());

  function take(node?: string): Promise<ProcessLock> {
    const options = { url, log: createRecordingLog(), onTaken: () => {}, waitMs: 100, retryMs: 20 };
    return takeProcessLock(node === undefined ? options : { ...options, node });
  }

  const refused = {
    code: 'data-locked',
    message: /^the database is in use by another process \(jackfield, process \d+ on .+\); stop it, or/,
  };

  test('nodes of different names run beside each other; a second process of one name is refused until the first has ended', async () => {
    const [one, two] = [await take('one'), await take('two')];
    await assert.rejects(take('two'), refused);
    await two.release();
    const next = await take('two');
    await next.release();
    await one.release();
  });

  test('a process that is no node and a node exclude each other', async () => {
    const node = await take('one');
    await assert.rejects(take(), refused);
    await node.release();
    const alone = await take();
    await assert.rejects(take('one'), refused);
    await alone.release();
  });

  test('write connections that begin at the same time are admitted with one query at a time on each connection', async (t) => {
    const lock = await take();
    const writers = Array.from({ length: 16 }, () => new pg.Client({ connectionString: url }));
    t.after(() => Promise.all([lock.release(), ...writers.map((writer) => writer.end())]));
    for (const writer of writers) await writer.connect();
    const { query } = pg.Client.prototype;
    const running = new Map<unknown, number>();
    let most = 0;
    t.mock.method(
      pg.Client.prototype,
      'query',
      async function (this: pg.Client, ...given: Parameters<typeof query>) {
        const beside = running.get(this) ?? 0;
        running.set(this, beside + 1);
        most = Math.max(most, beside + 1);
        try {
          return await query.apply(this, given);
        } finally {
          running.set(this, running.get(this)! - 1);
        }
      },
    );
    await Promise.all(writers.map((writer) => lock.admitWriter(writer)));
    assert.equal(most, 1);
  });

  test('write connections exclude other processes although the connection of the lock is lost', async () => {
    for (const [holder, rival] of [
      ['one', undefined],
      [undefined, 'one'],
      [undefined, undefined],
    ]) {
      const lock = await take(holder);
      const writer = new pg.Client({
        connectionString: url,
        application_name: 'jackfield, process 1 on a host',
      });
      await writer.connect();
      await lock.admitWriter(writer);
      await lock.release();
      await assert.rejects(take(rival), refused);
      // The fence refuses what a node of this name writes after its successor has begun.
      if (holder === 'one') await (await take('one')).release();
      await writer.end();
      await (await take(rival)).release();
    }
  });
});
