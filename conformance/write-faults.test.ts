import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { spawnBound } from './support/bound-child.ts';
import { missing } from './support/installed.ts';
import { rtpRange } from './support/ports.ts';
import { serverMain } from './support/server-main.ts';
import { shellSuite } from './support/shell-suite.ts';
import { mount, noMount, unmount } from './support/small-disk.ts';

const kib = 1024;
const skip = missing('mount') || noMount();
const talks = '+12025550101';

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly problems: string;
}

/** Runs the command to its end. */
async function ended(child: ReturnType<typeof spawnBound>): Promise<Ended> {
  let out = '';
  let problems = '';
  child.stdout!.on('data', (text) => (out += String(text)));
  child.stderr!.on('data', (text) => (problems += String(text)));
  await once(child, 'close');
  return { status: child.exitCode, out, problems };
}

/** A full file system for one test. */
function smallDisk(t: TestContext, bytes: number, ...options: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'small-'));
  assert.ok(mount(directory, bytes, ...options));
  t.after(() => {
    unmount(directory);
    rmSync(directory, { recursive: true });
  });
  return directory;
}

const filesIn = (directory: string) => readdirSync(directory, { recursive: true }).map(String);

/** One sentence about the path on standard error, exit code 1, and no stack on either output. */
function refuses({ status, out, problems }: Ended, sentence: RegExp): void {
  assert.match(problems, sentence);
  assert.equal(problems.trim().split('\n').length, 1, problems);
  assert.equal(status, 1);
  assert.doesNotMatch(out, /"level":"error"|\n +at /);
}

describe('a start that cannot write its data', { timeout: 120_000, concurrency: 2 }, () => {
  /** `before` is a program that starts the server. */
  function start(dataDir: string, ...before: readonly string[]): Promise<Ended> {
    const { first, last } = rtpRange();
    const [program = '', ...args] = [...before, process.execPath, serverMain, 'start'];
    return ended(
      spawnBound(program, args, {
        cwd: tmpdir(),
        env: {
          PATH: process.env.PATH,
          JACKFIELD_HTTP_HOST: '127.0.0.1',
          JACKFIELD_HTTP_PORT: '0',
          JACKFIELD_SIP_HOST: '127.0.0.1',
          JACKFIELD_SIP_PORT: '0',
          JACKFIELD_RTP_PORTS: `${first}-${last}`,
          JACKFIELD_WEBRTC_PORT: 'off',
          JACKFIELD_DATA_DIR: dataDir,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  // The lock, the database and its log, the first migrations, the last ones.
  for (const size of [4, 16, 64, 2000]) {
    it(`a disk of ${size} KiB, and a directory on it that does not exist: both stay empty`, {
      skip,
    }, async (t) => {
      const disk = smallDisk(t, size * kib);
      for (const dataDir of [disk, join(disk, 'var/jackfield')]) {
        refuses(await start(dataDir), /^JACKFIELD_DATA_DIR: no space is left for \/.*small-/);
        assert.deepEqual(filesIn(disk), []);
      }
    });
  }

  it('files of others in the directory stay', { skip }, async (t) => {
    const disk = smallDisk(t, 64 * kib);
    writeFileSync(join(disk, 'notes.txt'), 'of another program');
    refuses(await start(disk), /^JACKFIELD_DATA_DIR: no space is left for /);
    assert.deepEqual(filesIn(disk), ['notes.txt']);
  });

  it('a read-only file system', { skip }, async (t) => {
    const disk = smallDisk(t, 64 * kib, 'ro');
    for (const dataDir of [disk, join(disk, 'var')])
      refuses(await start(dataDir), /^JACKFIELD_DATA_DIR: .*small-.*read-only/);
  });

  it('a file in place of the directory, and a directory of another user', {
    skip: process.getuid?.() === 0 ? missing('setpriv') : 'only root gives a directory to another user',
  }, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'taken-'));
    t.after(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'file'), '');
    for (const dataDir of [join(directory, 'file'), join(directory, 'file/data')])
      refuses(await start(dataDir), /^JACKFIELD_DATA_DIR: .*taken-.*file(?:\/data)? is no directory/);
    const others = join(directory, 'others');
    mkdirSync(others, { mode: 0o700 });
    chownSync(others, 65_534, 65_534);
    // root without the right to write everywhere
    const unprivileged = await start(others, 'setpriv', '--bounding-set=-dac_override,-dac_read_search');
    refuses(unprivileged, /^JACKFIELD_DATA_DIR: this user may not write to .*others/);
    assert.deepEqual(filesIn(directory), ['file', 'others']);
  });
});

describe('a command that cannot write its files', { skip, timeout: 120_000 }, () => {
  const suite = shellSuite();
  const stdio = ['ignore', 'pipe', 'pipe'] as const;

  function run(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return ended(suite.jackfield(args, { ...suite.pasted(), ...variables }, [...stdio]));
  }

  let backup = '';

  before(async () => {
    backup = join(suite.directory, 'backup');
    const made = await run(['backup', backup], { JACKFIELD_DATA_DIR: suite.platform.dataDir });
    assert.equal(made.status, 0, made.problems);
  });

  it('backup leaves nothing on a full disk, nor the directories that lead to it', async (t) => {
    const disk = smallDisk(t, 64 * kib);
    const data = { JACKFIELD_DATA_DIR: suite.platform.dataDir };
    for (const to of [join(disk, 'backup'), join(disk, 'of/today')]) {
      refuses(await run(['backup', to], data), /^no space is left for .*small-/);
      assert.deepEqual(filesIn(disk), []);
    }
    const readOnly = smallDisk(t, 64 * kib, 'ro');
    refuses(await run(['backup', join(readOnly, 'backup')], data), /small-.*read-only/);
    writeFileSync(join(suite.directory, 'file'), '');
    refuses(
      await run(['backup', join(suite.directory, 'file/backup')], data),
      /^\/\S+file is no directory|^\/\S+file\/backup is no directory/,
    );
  });

  it('backup and restore into a path that cannot exist end with a sentence, and make nothing', async () => {
    const long = 'a'.repeat(300);
    const link = join(suite.directory, 'link');
    symlinkSync('link', link);
    // Into /proc `mkdir` with `recursive` of Node never ends.
    for (const [path, sentence] of [
      ['/proc/jackfield/today', /^\/proc\/jackfield cannot be made: its directory does not exist, or /],
      ['/proc/jackfield', /^\/proc\/jackfield cannot be made: its directory does not exist, or /],
      [long, /^the name of \/\S+aaa is too long for its file system\.$/m],
      [
        link,
        /^\S+link (?:exists: name a new directory|exists already|is no directory, or is below a file)\.$/m,
      ],
    ] as const) {
      refuses(await run(['backup', path], { JACKFIELD_DATA_DIR: suite.platform.dataDir }), sentence);
      refuses(await run(['restore', backup], { JACKFIELD_DATA_DIR: path }), sentence);
    }
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.deepEqual(
      filesIn(suite.directory).filter((name) => name.includes('unfinished')),
      [],
    );
  });

  it('backup and restore name a database, a manifest or a file of the backup that cannot be read', async (t) => {
    const broken = mkdtempSync(join(tmpdir(), 'broken-'));
    t.after(() => rmSync(broken, { recursive: true }));
    const database = join(broken, 'jackfield.sqlite');
    writeFileSync(database, 'no database'.repeat(1000));
    writeFileSync(join(broken, 'secret.key'), 'ab'.repeat(32));
    const to = join(suite.directory, 'of-broken');
    for (const reason of ['file is not a database', 'disk I/O error']) {
      const made = await run(['backup', to], { JACKFIELD_DATA_DIR: broken });
      refuses(made, new RegExp(`broken-\\S+sqlite cannot be read as a database \\(${reason}\\)`));
      assert.ok(!existsSync(to));
      rmSync(database, { recursive: true });
      mkdirSync(database, { recursive: true });
    }
    const data = join(suite.directory, 'of-damaged');
    for (const [name, sentence] of [
      ['jackfield.sqlite', /sqlite is missing from the backup: use another backup\.$/m],
      ['manifest.json', /manifest\.json is a directory, not a file: use another backup\.$/m],
    ] as const) {
      const damaged = join(broken, name.replace('.', '-'));
      cpSync(backup, damaged, { recursive: true });
      rmSync(join(damaged, name));
      mkdirSync(join(damaged, name));
      refuses(await run(['restore', damaged], { JACKFIELD_DATA_DIR: data }), sentence);
      assert.ok(!existsSync(data));
    }
  });

  it('restore leaves nothing on a full disk, nor the directories that lead to it', async (t) => {
    const disk = smallDisk(t, 64 * kib);
    for (const dataDir of [disk, join(disk, 'var/jackfield')]) {
      refuses(
        await run(['restore', backup], { JACKFIELD_DATA_DIR: dataDir }),
        /^no space is left for .*small-/,
      );
      assert.deepEqual(filesIn(disk), []);
    }
    const readOnly = smallDisk(t, 64 * kib, 'ro');
    refuses(await run(['restore', backup], { JACKFIELD_DATA_DIR: readOnly }), /small-.*read-only/);
  });

  it('import undoes what it created when its notes or the passwords find no space', async (t) => {
    const endpoints = Array.from({ length: 40 }, (_, at) => ({
      endpoint_id: String(at),
      username: `alice${at}`,
      alias: 'alice',
    }));
    const text = JSON.stringify({ endpoints });
    const notes = smallDisk(t, 12 * kib);
    writeFileSync(join(notes, 'export.json'), text);
    const imported = await run(['import', join(notes, 'export.json')]);
    assert.equal(imported.status, 1);
    assert.match(
      imported.problems,
      /export\.json\.unfinished.*no space is left for .*\nNothing was imported\.\n$/,
    );
    assert.deepEqual(filesIn(notes), ['export.json']);

    const passwords = smallDisk(t, 4 * kib);
    writeFileSync(join(suite.directory, 'export.json'), text);
    const file = join(passwords, 'passwords.json');
    const other = await run(['import', 'export.json', '--passwords', file]);
    assert.equal(other.status, 1);
    assert.match(other.problems, /--passwords is ".*": no space is left for .*\nNothing was imported\.\n$/);
    assert.deepEqual(filesIn(passwords), []);
    assert.ok(!filesIn(suite.directory).includes('export.json.unfinished'));
    assert.deepEqual((await suite.platform.api('GET', 'Endpoint/')).body.objects, []);
  });

  it('listen keeps what it heard as a whole WAV file, and says where it ends', async (t) => {
    const { status } = await suite.platform.api('POST', 'MultiPartyCall/name_disk/Participant/', {
      role: 'agent',
      from: '+12025550000',
      to: talks,
    });
    assert.equal(status, 201);
    const { calls } = await suite.platform.until('the call', 'Live/', (live) => live.calls.length === 1);
    const call = calls[0].call_uuid as string;
    const disk = smallDisk(t, 128 * kib);
    const heard = join(disk, 'heard.wav');
    refusesAtEnd(
      await run(['listen', call, '--output', heard]),
      /^--output: no space is left for .*heard\.wav: it has the first [1-9]\.\d s of the call\.$/m,
    );
    const wav = await readFile(heard);
    assert.equal(wav.readUInt32LE(40), statSync(heard).size - 44);
    assert.ok(wav.length > 64 * kib);
    refuses(
      await run(['listen', call, '--output', join(suite.directory, 'nowhere/heard.wav')]),
      /^--output: \S+nowhere\/heard\.wav cannot be made: its directory does not exist/,
    );
    refuses(await run(['listen', call, '--output', suite.directory]), /^--output: .* is a directory\.$/m);
    const port = new URL(suite.platform.httpUrl).port;
    refuses(
      await run(['listen', call, '--port', port, '--output', join(suite.directory, 'none.wav')]),
      /^--port: port \d+ of \S+ cannot be opened: another program listens there/,
    );
    assert.ok(!filesIn(suite.directory).includes('none.wav'));
    await suite.platform.api('DELETE', 'MultiPartyCall/name_disk/');
  });

  /** Behind the line that says that it listens. */
  function refusesAtEnd({ status, problems }: Ended, sentence: RegExp): void {
    assert.match(problems, sentence);
    assert.equal(status, 1);
    assert.doesNotMatch(problems, /\n +at /);
  }
});
