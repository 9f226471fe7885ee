import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, postgresMissing, startPostgres } from '@jackfield/testkit/postgres-server';
import pg from 'pg';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { serverMain } from './support/server-main.ts';

const postgres = postgresMissing() ?? missing('pg_dump', 'pg_restore');

async function startServer(): Promise<PostgresServer> {
  const started = await startPostgres();
  if (started.server === undefined) throw new Error(started.reason);
  return started.server;
}

for (const kind of ['the embedded database', 'PostgreSQL'] as const) {
  const skip = kind === 'PostgreSQL' && postgres;
  describe(`a backup of a server with ${kind}`, { skip, timeout: 180_000 }, () => {
    const directory = mkdtempSync(join(tmpdir(), 'jackfield-'));
    const backup = join(directory, 'backup');
    const data = join(directory, 'restored');
    let servers: readonly PostgresServer[] = [];
    let original: PlatformProcess;
    let database: Readonly<Record<string, string>> = {};
    let empty: Readonly<Record<string, string>> = {};

    before(async () => {
      if (kind === 'PostgreSQL') {
        // The second one has counted fewer transactions than the first one will have.
        servers = await Promise.all([startServer(), startServer()]);
        const urls = await Promise.all(servers.map((each) => each.createDatabase()));
        database = { JACKFIELD_DATABASE_URL: urls[0]! };
        empty = { JACKFIELD_DATABASE_URL: urls[1]! };
      }
      original = await PlatformProcess.start(database);
      mkdirSync(join(original.dataDir, 'recordings'), { recursive: true });
      writeFileSync(join(original.dataDir, 'recordings/kept.wav'), 'RIFF');
    });

    after(async () => {
      await original.stop();
      for (const server of servers) await server.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    async function jackfield(
      args: readonly string[],
      env: Readonly<Record<string, string>>,
      meanwhile: (pid: number) => Promise<void> = async () => {},
    ) {
      const child = spawn(process.execPath, [serverMain, ...args], {
        cwd: directory,
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, as a terminal gives to each command.
        detached: true,
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
      await Promise.all([once(child, 'close'), meanwhile(child.pid!)]);
      return { status: child.exitCode, said };
    }

    const ofOriginal = () => ({ JACKFIELD_DATA_DIR: original.dataDir, ...database });
    const ofRestored = () => ({ JACKFIELD_DATA_DIR: data, ...empty });

    /** Sends a code; resolves when the event of its delivery is behind the last one. */
    async function emitEvents(at: PlatformProcess, recipient: string, after: string) {
      const { status } = await at.api('POST', 'Verify/Session/', { recipient });
      assert.equal(status, 202);
      const path = `Event/?after=${after}&type=verify.delivered`;
      const isThere = ({ objects }: { objects: unknown[] }) => objects.length > 0;
      await at.until('the event of a delivery', path, isThere);
    }

    it('is made while the server writes, and holds every file for its owner alone', async () => {
      await original.createEndpoint('before', 'a-good-password');
      await emitEvents(original, '+14155550100', '0-0');
      let isOver = false;
      // Units of the server go on meanwhile.
      const writes = (async () => {
        for (let n = 0; !isOver; n++) await original.createEndpoint(`during${n}`, 'a-good-password');
      })();
      const { status, said } = await jackfield(['backup', backup], ofOriginal());
      isOver = true;
      await writes;
      assert.equal(status, 0, said);
      assert.match(said, /^\d+ files, \d+\.\d MB in /);
      const files = readdirSync(backup, { recursive: true, encoding: 'utf8' });
      for (const name of ['manifest.json', 'secret.key', join('recordings', 'kept.wav')])
        assert.ok(files.includes(name), files.join(', '));
      for (const name of files) assert.equal(statSync(join(backup, name)).mode & 0o077, 0, name);
      assert.equal(statSync(backup).mode & 0o077, 0);
    });

    it('is not written over', async () => {
      const { status, said } = await jackfield(['backup', backup], ofOriginal());
      assert.equal(status, 1);
      assert.match(said, /backup exists: name a new directory/);
      assert.deepEqual(readdirSync(directory), ['backup']);
    });

    it('is interrupted by Ctrl-C, or by the end of its terminal, while pg_dump reads, and nothing is left of it', {
      skip: kind !== 'PostgreSQL' && 'pg_dump is PostgreSQL’s',
    }, async () => {
      const client = new pg.Client({ connectionString: database.JACKFIELD_DATABASE_URL });
      await client.connect();
      const dumps = async () => {
        // The view is read once in a transaction.
        await client.query('SELECT pg_stat_clear_snapshot()');
        const { rows } = await client.query(
          "SELECT wait_event_type FROM pg_stat_activity WHERE application_name = 'pg_dump'",
        );
        return rows.map((row) => row.wait_event_type);
      };
      try {
        // pg_dump waits for this lock, its file open.
        await client.query('BEGIN');
        await client.query('LOCK TABLE sip_endpoints IN ACCESS EXCLUSIVE MODE');
        for (const signal of ['SIGINT', 'SIGHUP'] as const) {
          // The session of the one before ends after its program.
          while ((await dumps()).length > 0) await sleep(20);
          const cut = await jackfield(['backup', join(directory, 'cut')], ofOriginal(), async (pid) => {
            while (!(await dumps()).includes('Lock')) await sleep(20);
            assert.equal(readdirSync(directory).length, 2);
            // A terminal sends it to the whole group.
            process.kill(-pid, signal);
          });
          assert.deepEqual(cut, {
            status: 1,
            said: 'The backup was interrupted, and nothing is left of it.\n',
          });
          assert.deepEqual(readdirSync(directory), ['backup']);
        }
        await client.query('ROLLBACK');
        while ((await dumps()).length > 0) await sleep(20);
      } finally {
        await client.end();
      }
    });

    it('is refused with another key than that of the database', async () => {
      const other = { ...ofOriginal(), JACKFIELD_SECRET_KEY: 'ab'.repeat(32) };
      const { status, said } = await jackfield(['backup', join(directory, 'other')], other);
      assert.equal(status, 1);
      assert.match(said, /^JACKFIELD_SECRET_KEY is not the key of the database/m);
      assert.deepEqual(readdirSync(directory), ['backup']);
    });

    it('is refused while it is damaged or in use, and nothing is left of it then', async () => {
      const broken = join(directory, 'broken');
      cpSync(backup, broken, { recursive: true });
      appendFileSync(join(broken, 'secret.key'), 'x');
      const damaged = await jackfield(['restore', broken], ofRestored());
      assert.equal(damaged.status, 1);
      assert.match(damaged.said, /secret\.key is damaged/);
      assert.ok(!existsSync(data));
      const running = await jackfield(['restore', backup], ofOriginal());
      assert.equal(running.status, 1);
      assert.match(running.said, /in use by (another )?process/);
      const nothing = await jackfield(['restore', directory], ofRestored());
      assert.match(nothing.said, /is no backup: it has no manifest\.json/);
    });

    it('cut off in the middle keeps a server from starting, until a restore is whole', async () => {
      mkdirSync(join(data, '.restoring'), { recursive: true });
      writeFileSync(join(data, 'secret.key'), 'of an earlier attempt');
      const started = await jackfield(['start'], ofRestored());
      assert.equal(started.status, 1);
      assert.match(started.said, /JACKFIELD_DATA_DIR: a restore into .* was cut off/);
      const { status, said } = await jackfield(['restore', backup], ofRestored());
      assert.equal(status, 0, said);
      assert.ok(!existsSync(join(data, '.restoring')));
    });

    it('gives a server with the same endpoints, key and recordings', async () => {
      const again = await PlatformProcess.start(ofRestored());
      try {
        const { body } = await again.api('GET', 'Endpoint/?limit=20');
        const aliases = body.objects.map(({ alias }: { alias: string }) => alias);
        assert.ok(aliases.includes('before'), aliases.join(', '));
        assert.equal(readFileSync(join(data, 'recordings/kept.wav'), 'utf8'), 'RIFF');
        const events = async (at: PlatformProcess) => (await at.api('GET', 'Event/')).body;
        const { objects: seen, meta } = await events(original);
        assert.deepEqual((await events(again)).objects, seen);
        await emitEvents(again, '+14155550101', meta.after);
      } finally {
        await again.stop();
      }
    });

    it('is refused where there is data already', async () => {
      const { status, said } = await jackfield(['restore', backup], ofRestored());
      assert.equal(status, 1);
      assert.match(said, /has (recordings|secret\.key) already: name an empty directory/);
    });
  });
}
