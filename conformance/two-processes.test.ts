import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type PostgresServer, postgresMissing, startPostgres } from '@jackfield/testkit/postgres-server';
import pg from 'pg';
import { PlatformProcess } from './support/platform-process.ts';

const skip = postgresMissing() ?? false;

describe('two processes on one PostgreSQL database', { skip, timeout: 180_000 }, () => {
  let server: PostgresServer;
  let environment: Readonly<Record<string, string>>;
  let first: PlatformProcess;

  before(async () => {
    const started = await startPostgres();
    if (started.server === undefined) throw new Error(started.reason);
    server = started.server;
    environment = {
      JACKFIELD_DATABASE_URL: await server.createDatabase(),
      JACKFIELD_SECRET_KEY: '07'.repeat(32),
    };
    first = await PlatformProcess.start(environment);
  });

  after(async () => {
    await first?.stop();
    await server?.stop();
  });

  const room = 'MultiPartyCall/name_first/';

  async function query<Row extends object>(text: string): Promise<readonly Row[]> {
    const client = new pg.Client(environment.JACKFIELD_DATABASE_URL);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Cuts the connection that holds the exclusive lock; resolves with its process id at the server. */
  async function cutLock(): Promise<void> {
    const cut = await query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE locktype = 'advisory' AND classid = 1784767339 AND objid = 1 AND granted AND objsubid = 2`,
    );
    assert.equal(cut.length, 1);
  }

  const refused =
    /JACKFIELD_DATABASE_URL: the database is in use by another process \(jackfield, process \d+ on .+\); stop it, or choose another database/;

  // A refused process waits five seconds for the lock; these wait for two of them.
  describe('beside the first one', { concurrency: true }, () => {
    it('the second one refuses to start, and the calls of the first go on in the records', async () => {
      for (const to of ['+12025550101', '+12025550109']) {
        const { status } = await first.api('POST', `${room}Participant/`, {
          role: 'agent',
          from: '+12025550000',
          to,
        });
        assert.equal(status, 201);
      }
      const isJoined = ({ objects }: { objects?: { status: string }[] }) =>
        objects?.length === 2 && objects.every(({ status }) => status === 'joined');
      await first.until('both phones', `${room}Participant/`, isJoined);
      const recording = (await first.api('POST', `${room}Record/`, { file_format: 'wav' })).body;
      const recorded = async () =>
        (await readFile(join(first.dataDir, 'recordings', `${recording.recording_id}.wav`))).length;

      await assert.rejects(PlatformProcess.start(environment), refused);

      const { body } = await first.api('GET', `${room}Participant/`);
      assert.ok(isJoined(body), JSON.stringify(body));
      assert.equal((await first.api('GET', 'Call/?status=live')).body.calls.length, 2);
      // The recording goes on in its file, and is complete at its end.
      const before = await recorded();
      while ((await recorded()) === before) await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal((await first.api('DELETE', `${room}Record/`)).status, 204);
      const record = `Recording/${recording.recording_id}/`;
      await first.until('the recording', record, ({ recording_duration_ms: ms }) => Number(ms) > 4_000);
      assert.ok((await first.download(recording.recording_url)).length > 64_000);
    });

    it('the second one touches nothing before it holds the lock: it brings no database up to date', async () => {
      const empty = await server.createDatabase();
      const holder = new pg.Client(empty);
      await holder.connect();
      // The two numbers of the lock, as docs/operate/configuration.md gives them.
      await holder.query('SELECT pg_advisory_lock(1784767339, 1)');
      await assert.rejects(
        PlatformProcess.start({ ...environment, JACKFIELD_DATABASE_URL: empty }),
        /is in use by another process/,
      );
      const { rows } = await holder.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
      assert.deepEqual(rows, []);
      await holder.end();
    });
  });

  it('the lock is taken again after its connection was lost, and a second one is refused again', async () => {
    const from = first.log.all.length;
    await cutLock();
    await first.log.until('the lock', ({ message }) => /locked again/.test(String(message)), { from });
    await assert.rejects(PlatformProcess.start(environment), refused);
    assert.equal((await first.api('GET', 'Call/?status=live')).body.calls.length, 2);
  });

  it('after kill -9 of the first one the next one starts and ends its calls', async () => {
    await first.killAndRestart();
    assert.equal((await first.api('GET', 'Call/?status=live')).body.calls.length, 0);
    assert.equal((await first.api('GET', room)).status, 404);
  });

  it('a process that finds another owner of the database after a lost connection ends with a sentence', async () => {
    const other = new pg.Client(environment.JACKFIELD_DATABASE_URL);
    await other.connect();
    await other.query("SET application_name = 'the other one'");
    // Waits in line: it gets the lock as soon as the connection of the holder is gone.
    const taken = other.query('SELECT pg_advisory_lock(1784767339, 1)');
    while ((await query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const from = first.log.all.length;
    await cutLock();
    await taken;
    const end = await first.log.until('the end', ({ message }) => message === 'exit', { from });
    assert.equal(end.code, 1);
    assert.match(
      JSON.stringify(first.log.all.slice(from)),
      /JACKFIELD_DATABASE_URL: the database is in use by another process \(the other one\)/,
    );
    await other.end();
    first = await PlatformProcess.start(environment);
  });

  it('a process with another secret key refuses to start with its own sentence, and changes no account', async () => {
    await first.stop();
    await assert.rejects(
      PlatformProcess.start({ ...environment, JACKFIELD_SECRET_KEY: '08'.repeat(32) }),
      /JACKFIELD_SECRET_KEY is not the key with which the database was written: set it to that key/,
    );
    first = await PlatformProcess.start(environment);
    assert.equal((await first.api('GET', '')).status, 200);
  });
});
