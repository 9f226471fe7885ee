import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parseEnv } from 'node:util';
import { loadConfig } from '@jackfield/server/src/config.ts';
import { parse } from 'yaml';
import { missing } from './support/installed.ts';
import { blocksRunBy } from './support/snippets.ts';

const deploy = join(import.meta.dirname, '../deploy');
const unit = join(deploy, 'jackfield.service');

/** The programs of the page, which change the root directory of the machine, in the working directory. */
const ownRoot = `
systemctl() {
  case "$*" in
    'enable --now jackfield') command systemctl --root=. enable jackfield ;;
    'restart jackfield') ;;
    *) return 1 ;;
  esac
}
useradd() {
  touch etc/passwd etc/group etc/shadow etc/gshadow
  command useradd --prefix "$PWD" "$@"
}
chgrp() { command chgrp "$1" "$(sed -n "s/^$2:x:\\([0-9]*\\):.*/\\1/p" etc/group)" "$3"; }
jackfield() { test "$*" = doctor && env > seen; }`;

/** Where the unit has the data. */
function dataDirectory(): string | undefined {
  return /^Environment=JACKFIELD_DATA_DIR=(.*)$/m.exec(readFileSync(unit, 'utf8'))?.[1];
}

function analyze(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

describe('the unit for systemd', { skip: missing('systemd-analyze') }, () => {
  it('has no setting that systemd ignores', () => {
    const { status, text } = analyze('verify', '--man=no');
    assert.equal(status, 0, text);
    assert.doesNotMatch(text, /jackfield\.service/);
  });

  /** Runs the blocks of the page that this file names, below a root of their own. No test runs on a machine whose first process is systemd. */
  function follow(t: TestContext, blocks: readonly { readonly text: string }[]): string {
    const directory = mkdtempSync(join(tmpdir(), 'unit-'));
    t.after(() => rmSync(directory, { recursive: true }));
    for (const { text } of blocks) {
      const commands = text.replaceAll(' /etc/', ' etc/').replaceAll(' deploy/', ` ${dirname(unit)}/`);
      const script = ['set -eu', ownRoot, commands].join('\n');
      const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: directory, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    }
    return directory;
  }

  const [install, ...later] = blocksRunBy('docs/operate/systemd.md', import.meta.filename);

  it('is installed, configured and enabled as the page does it', (t) => {
    const etc = join(follow(t, [install!]), 'etc');
    assert.ok(
      lstatSync(join(etc, 'systemd/system/multi-user.target.wants/jackfield.service')).isSymbolicLink(),
    );
    assert.equal(statSync(join(etc, 'jackfield/jackfield.env')).mode & 0o777, 0o600);
    const env = parseEnv(readFileSync(join(etc, 'jackfield/jackfield.env'), 'utf8'));
    const loaded = loadConfig({ env, mode: 'production' });
    assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
  });

  it('gets a user that can read its files, and gives its variables to commands, as the page does it', {
    skip: process.getuid?.() === 0 ? false : 'needs root',
  }, (t) => {
    const directory = follow(t, [install!, ...later]);
    const { mode, gid } = statSync(join(directory, 'etc/jackfield/jackfield.env'));
    assert.equal(mode & 0o777, 0o640);
    assert.ok(readFileSync(join(directory, 'etc/group'), 'utf8').startsWith(`jackfield:x:${gid}:`));
    const seen = parseEnv(readFileSync(join(directory, 'seen'), 'utf8'));
    assert.deepEqual(
      [seen.JACKFIELD_PUBLIC_ADDRESS, seen.JACKFIELD_DATA_DIR],
      ['198.51.100.7', dataDirectory()],
    );
  });

  // Of 100; services of Debian without restrictions have 96. Addresses, the network and two capabilities are what is left.
  it('is exposed to at most 25 in the count of systemd', () => {
    const { status, text } = analyze('security', '--offline=true', '--threshold=25');
    assert.equal(status, 0, text.trim().split('\n').at(-1));
  });
});

describe('the compose files', { skip: missing('docker-compose') }, () => {
  /** What compose makes of the file beside this `.env`. */
  function composed(t: TestContext, name: string, env: string) {
    const above = mkdtempSync(join(tmpdir(), 'compose-'));
    t.after(() => rmSync(above, { recursive: true }));
    const directory = join(above, 'deploy', dirname(name));
    mkdirSync(directory, { recursive: true });
    // Debian 12 has the compose of 2021, when a file had no name of its own.
    const text = readFileSync(join(deploy, name), 'utf8').replace(/^name: .*$/m, '');
    writeFileSync(join(directory, 'compose.yaml'), text);
    writeFileSync(join(directory, '.env'), env);
    const { status, stdout, stderr } = spawnSync('docker-compose', ['config'], {
      cwd: directory,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    return { status, stdout, stderr };
  }

  const exampleOf = (name: string) => readFileSync(join(deploy, dirname(name), '.env.example'), 'utf8');

  for (const [name, servers] of [
    ['compose.yaml', ['jackfield']],
    ['cluster/compose.yaml', ['one', 'two', 'three']],
  ] as const)
    it(`compose reads ${name} with a filled .env, and the server accepts what it gets`, (t) => {
      // As a reader fills it in: each empty value.
      const filled = exampleOf(name)
        .replace(/^S3_BUCKET=$/m, '$&recordings')
        .replace(/^\w+=$/gm, `$&${'0f'.repeat(32)}`);
      const { status, stdout, stderr } = composed(t, name, filled);
      assert.equal(status, 0, stderr);
      const { services } = parse(stdout);
      for (const server of servers) {
        const given = Object.entries(services[server].environment);
        const env = Object.fromEntries(given.map(([variable, value]) => [variable, String(value)]));
        const loaded = loadConfig({ env, mode: 'production' });
        assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
        assert.ok(loaded.ok && loaded.config.databaseUrl?.includes(':0f0f'), server);
      }
      assert.match(services.database.healthcheck.test.join(' '), /pg_isready/);
    });

  for (const name of ['compose.yaml', 'cluster/compose.yaml'])
    it(`compose refuses ${name} while .env lacks a value, and names one`, (t) => {
      const example = exampleOf(name);
      const { status, stderr } = composed(t, name, example);
      assert.notEqual(status, 0);
      const empty = [...example.matchAll(/^(\w+)=$/gm)].map(([, variable]) => variable);
      assert.match(stderr, new RegExp(`\\b(${empty.join('|')})\\b.* is not in \\.env`));
    });
});
