import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { spawnBound } from './support/bound-child.ts';
import { compileCache } from './support/compile-cache.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { rtpRange } from './support/ports.ts';
import { serverMain } from './support/server-main.ts';
import { threadsBelow } from './support/threads-below.ts';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe('a start that cannot succeed', { timeout: 240_000, concurrency: 2 }, () => {
  let directory: string;
  /** A data directory that a process left behind when it was killed. */
  let left: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-'));
    const platform = await PlatformProcess.start();
    left = platform.dataDir;
    platform.signal('SIGKILL');
    await platform.log.until('the end', ({ message }) => message === 'exit');
  });

  after(async () => {
    await rm(directory, { recursive: true, force: true });
    await rm(left, { recursive: true, force: true });
  });

  async function started(environment: Readonly<Record<string, string>>): Promise<Ended> {
    const rtpPorts = rtpRange();
    const dataDir = await mkdtemp(join(directory, 'data-'));
    const child = spawnBound(process.execPath, [serverMain, 'start'], {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        ...compileCache,
        JACKFIELD_HTTP_HOST: '127.0.0.1',
        JACKFIELD_HTTP_PORT: '0',
        JACKFIELD_SIP_HOST: '127.0.0.1',
        JACKFIELD_SIP_PORT: '0',
        JACKFIELD_RTP_PORTS: `${rtpPorts.first}-${rtpPorts.last}`,
        JACKFIELD_DATA_DIR: dataDir,
        ...environment,
      },
    });
    const texts = { out: '', err: '' };
    child.stdout.on('data', (chunk) => (texts.out += String(chunk)));
    child.stderr.on('data', (chunk) => (texts.err += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...texts };
  }

  async function refuses(environment: Readonly<Record<string, string>>, sentence: RegExp): Promise<void> {
    const { code, out, err } = await started(environment);
    assert.equal(code, 1, out + err);
    assert.match(err, sentence);
    assert.doesNotMatch(out + err, /\bat .*\.[jt]s:\d+/, 'no stack trace');
    assert.equal(err.trim().split('\n').length, 1, err);
  }

  it('ends at SIGTERM during the start, also as the first process of a container', {
    skip: process.getuid?.() === 0 ? missing('unshare') : 'needs root',
  }, async () => {
    const child = spawnBound(
      'unshare',
      ['--pid', '--fork', '--kill-child', process.execPath, serverMain, 'start'],
      {
        cwd: directory,
        env: {
          PATH: process.env.PATH,
          ...compileCache,
          JACKFIELD_HTTP_PORT: '0',
          JACKFIELD_SIP_PORT: '0',
          JACKFIELD_WEBRTC_PORT: 'off',
          JACKFIELD_DATA_DIR: await mkdtemp(join(directory, 'data-')),
        },
      },
    );
    let out = '';
    child.stdout.on('data', (chunk) => {
      if (!out.includes('configuration in force') && String(chunk).includes('configuration in force')) {
        // The signal goes to Node: unshare is outside.
        const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
        process.kill(Number(first), 'SIGTERM');
      }
      out += String(chunk);
      // A server that did not end would run for ever.
      if (out.includes('Jackfield is ready.')) child.kill('SIGKILL');
    });
    // Seen once to go on for minutes, which leaves nothing to read when the runner ends the test.
    let late = '';
    const timer = setTimeout(() => {
      late = threadsBelow(child.pid!);
      child.kill('SIGKILL');
    }, 60_000);
    const [code] = await once(child, 'close');
    clearTimeout(timer);
    assert.equal(code, 128 + constants.signals.SIGTERM, `${out}\n${late}`);
  });

  for (const [variable, protocol] of [
    ['JACKFIELD_HTTP_PORT', 'tcp'],
    ['JACKFIELD_SIP_PORT', 'tcp'],
    ['JACKFIELD_SIP_PORT', 'udp'],
  ] as const) {
    it(`says that ${variable} is in use (${protocol})`, async () => {
      const held = protocol === 'tcp' ? createServer() : createSocket('udp4');
      if ('bind' in held) held.bind(0, '127.0.0.1');
      else held.listen(0, '127.0.0.1');
      await once(held, 'listening');
      const { port } = held.address() as AddressInfo;
      await refuses(
        { [variable]: String(port) },
        new RegExp(`^${variable}: port ${port} of 127\\.0\\.0\\.1 is in use`),
      );
      held.close();
    });
  }

  it('says that an address is not one of this machine', () =>
    refuses(
      { JACKFIELD_SIP_HOST: '198.51.100.1' },
      /^JACKFIELD_SIP_HOST: 198\.51\.100\.1 is no address of this machine/,
    ));

  it('says that the data directory is a file', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await refuses({ JACKFIELD_DATA_DIR: file }, /^JACKFIELD_DATA_DIR: .*file is no directory/);
  });

  it('says that no data directory can be made below /proc, and does not hang', () =>
    refuses(
      { JACKFIELD_DATA_DIR: '/proc/jackfield/data' },
      /^JACKFIELD_DATA_DIR: this user may not write to \/proc\/jackfield\/data/,
    ));

  /** A start on the directory that a start which succeeded has left, after this change. */
  async function refusesOn(change: (dataDir: string) => Promise<void>, sentence: RegExp): Promise<void> {
    const dataDir = await mkdtemp(join(directory, 'left-'));
    await cp(left, dataDir, { recursive: true });
    await change(dataDir);
    await refuses({ JACKFIELD_DATA_DIR: dataDir }, sentence);
  }

  it('names the secret key that is missing beside data, and makes no new one', () =>
    refusesOn(async (dataDir) => {
      await rm(join(dataDir, 'secret.key'));
    }, /^JACKFIELD_DATA_DIR: .*\/secret\.key is missing, .*restore the file from a backup/));

  it('names the secret key that is not the one of the data', () =>
    refusesOn(async (dataDir) => {
      await writeFile(join(dataDir, 'secret.key'), '07'.repeat(32));
    }, /^JACKFIELD_DATA_DIR: .*\/secret\.key is not the key with which the database was written/));

  it('names the migrations of a database of a newer version', () =>
    refusesOn(async (dataDir) => {
      const database = new DatabaseSync(join(dataDir, 'jackfield.sqlite'));
      database.exec(
        "INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ('calls/9999-later', '0', 0)",
      );
      database.close();
    }, /^JACKFIELD_DATA_DIR: the database was written by a newer version.*\(calls\/9999-later\)/));

  it('succeeds on a database of a newer version whose migrations only add', async () => {
    const dataDir = await mkdtemp(join(directory, 'newer-'));
    await cp(left, dataDir, { recursive: true });
    const database = new DatabaseSync(join(dataDir, 'jackfield.sqlite'));
    database.exec(
      "INSERT INTO schema_migrations (name, checksum, applied_at, contracts) VALUES ('calls/9999-later', '0', 0, 0); ALTER TABLE calls ADD COLUMN later TEXT NOT NULL DEFAULT 'x'",
    );
    database.close();
    const platform = await PlatformProcess.start({ JACKFIELD_DATA_DIR: dataDir });
    assert.equal((await platform.api('GET', '')).status, 200);
    await platform.stop();
  });

  it('says that the database does not answer, and keeps its password', async () => {
    const { err } = await started({ JACKFIELD_DATABASE_URL: 'postgres://me:hush@127.0.0.1:9/nowhere' });
    assert.match(err, /^JACKFIELD_DATABASE_URL: .*ECONNREFUSED/);
    assert.doesNotMatch(err, /hush/);
  });
});

describe('jackfield start, without a sandbox', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start({
      JACKFIELD_SANDBOX: 'false',
    });
  });

  after(() => platform.stop());

  it('says at the start that numbers cannot be called', async () => {
    await platform.log.until('the warning', (line) => /5020 Routing Error/.test(String(line.message)));
  });

  it('a call to a number is over at once, and the log says why', async () => {
    const { status } = await platform.api('POST', 'MultiPartyCall/name_nobody/Participant/', {
      role: 'agent',
      from: '+12025550000',
      to: '+12025550100',
    });
    assert.equal(status, 201);
    const line = await platform.log.until('the reason', (each) =>
      /destination not reached/.test(String(each.message)),
    );
    assert.equal((line.end as { code: number }).code, 5020);
    await platform.untilQuiet();
  });
});

describe('the first account of an operator who chose none', { timeout: 180_000, concurrency: 2 }, () => {
  for (const sandbox of ['false', 'true']) {
    it(`has its token in a file for its owner alone, and never in the log (sandbox: ${sandbox})`, async () => {
      const platform = await PlatformProcess.start({
        JACKFIELD_SANDBOX: sandbox,
        JACKFIELD_AUTH_ID: '',
        JACKFIELD_AUTH_TOKEN: '',
      });
      await platform.log.until('the file', (line) => /in the file/.test(JSON.stringify(line)));
      const file = join(platform.dataDir, 'auth_token');
      const token = (await readFile(file, 'utf8')).trim();
      assert.match(token, /^[A-Za-z0-9+/]{40}$/);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      await platform.killAndRestart();
      assert.ok(!JSON.stringify(platform.log.all).includes(token), 'the token is in the log');
      await platform.stop();
    });
  }
});

describe('a start, and its end', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start({ JACKFIELD_LOG_LEVEL: 'debug' });
  });

  after(() => rm(platform.dataDir, { recursive: true, force: true }));

  it('logs each of its phases with its duration and what it restored, at info those of 100 ms and more', async () => {
    const phases = platform.log.all.filter(({ message }) => message === 'a phase of the start is over');
    assert.deepEqual(
      phases.map(({ phase }) => phase),
      [
        'database',
        'media',
        'migrations',
        'event stream',
        'sip endpoints of an ended run',
        'recordings of an ended run',
        'multiparty calls of an ended run',
        'calls of an ended run',
        'streams of an ended run',
        'carriers of an ended run',
        'verify of an ended run',
        'sandbox messages of an ended run',
        'sandbox calls of an ended run',
        'recordings',
        'carriers',
        'verify',
        'call black box',
        'signalling',
        'HTTP',
      ],
    );
    for (const { phase, ms, level } of phases)
      assert.equal(level, (ms as number) < 100 ? 'debug' : 'info', String(phase));
    assert.equal(phases.find(({ phase }) => phase === 'calls of an ended run')?.count, 0);
  });

  it('leaves nothing in the data directory that others can read, whatever was there before', async () => {
    const { dataDir } = platform;
    const modes = async () => {
      const names = ['.', ...(await readdir(dataDir))];
      const found = names.map(
        async (name) => [name, (await stat(join(dataDir, name))).mode & 0o077] as const,
      );
      return (await Promise.all(found)).filter(([, others]) => others !== 0);
    };
    assert.ok((await readdir(dataDir)).includes('jackfield.sqlite-wal'));
    assert.deepEqual(await modes(), []);
    await chmod(dataDir, 0o755);
    for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o755);
    await platform.killAndRestart();
    assert.deepEqual(await modes(), []);
  });

  it('goes on behind SIGHUP, with which service managers reload, where there is no certificate', async () => {
    platform.signal('SIGHUP');
    assert.equal((await platform.api('GET', 'MultiPartyCall/')).status, 200);
  });

  it('ends at a signal, and at once at a second one, whatever is still being said', async () => {
    assert.equal(await platform.end(), 0);
    await platform.startAgain();
    assert.equal(await platform.stop('SIGINT', 'SIGTERM'), 130);
  });
});
