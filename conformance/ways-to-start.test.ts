import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { compileCache } from './support/compile-cache.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { rtpRange } from './support/ports.ts';
import { serverSources } from './support/server-main.ts';

const root = join(import.meta.dirname, '..');
const launcher = join(root, 'apps/server/bin/jackfield.js');
const linked = join(root, 'node_modules/.bin/jackfield');

/** A Node of this machine that is older than the server needs. */
const olderNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'node'))
  .find((file) => !file.includes('node_modules') && existsSync(file) && majorOf(file) < 24);
const withoutOlder = { skip: olderNode === undefined ? 'no Node older than 24 is on the path' : false };
const older = olderNode ?? '';

function majorOf(node: string): number {
  return Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }));
}

describe('each way of starting the server', { timeout: 170_000, concurrency: 2 }, () => {
  let directory: string;
  /** Process groups that still live. */
  const groups = new Set<number>();

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-'));
  });

  after(() => {
    for (const group of groups) process.kill(-group, 'SIGKILL');
    return rm(directory, { recursive: true, force: true });
  });

  let starts = 0;
  function started(command: string, args: readonly string[], cwd = directory) {
    const rtpPorts = rtpRange();
    const log = new Happenings<string>();
    const child = spawn(command, args, {
      cwd,
      env: {
        // As in a user's shell: without the variables that npm has set for the tests.
        PATH: (process.env.PATH ?? '')
          .split(delimiter)
          .filter((each) => !each.includes('node_modules'))
          .join(delimiter),
        HOME: process.env.HOME,
        ...compileCache,
        JACKFIELD_HTTP_HOST: '127.0.0.1',
        JACKFIELD_HTTP_PORT: '0',
        JACKFIELD_SIP_HOST: '127.0.0.1',
        JACKFIELD_SIP_PORT: '0',
        JACKFIELD_RTP_PORTS: `${rtpPorts.first}-${rtpPorts.last}`,
        // The ranges of ports come round again while a slow start still has its data.
        JACKFIELD_DATA_DIR: join(directory, `data-${++starts}`),
        JACKFIELD_AUTH_ID: 'MACONFORMANCE0000000',
        JACKFIELD_AUTH_TOKEN: 'Y29uZm9ybWFuY2Vjb25mb3JtYW5jZWNvbmZvcm1h',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    groups.add(child.pid!);
    child.once('close', () => groups.delete(child.pid!));
    eachLine(child.stdout, (line) => log.add(line));
    eachLine(child.stderr, (line) => log.add(line));
    return { child, log };
  }

  /** Starts, sends the signal to the started process, and waits until the server has drained and no process holds its output. */
  async function drains(signal: NodeJS.Signals, command: string, args: readonly string[], cwd?: string) {
    const { child, log } = started(command, args, cwd);
    const closed = once(child, 'close');
    await log.until('readiness', (line) => line.includes('Jackfield is ready.'));
    // A terminal sends Ctrl-C to every process of the group; npm's shell acts on a signal of its own only when its program has ended.
    process.kill(signal === 'SIGINT' ? -child.pid! : child.pid!, signal);
    await closed;
    const said = log.all.join('\n');
    assert.match(said, /Draining: .*[\s\S]*Jackfield has ended\./);
    return { code: child.exitCode, said };
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`npx jackfield start drains after ${signal}, which npm's shell does not pass on`, async () => {
      await drains(signal, 'npx', ['--no-install', 'jackfield', 'start'], root);
    });

    it(`npm start drains after ${signal}`, async () => {
      await drains(signal, 'npm', ['start'], root);
    });

    it(`the launcher drains after ${signal}, from another directory`, async () => {
      assert.equal((await drains(signal, process.execPath, [launcher, 'start'])).code, 0);
    });

    it(`the linked command under an older Node drains after ${signal}`, withoutOlder, async () => {
      assert.equal((await drains(signal, older, [linked, 'start'])).code, 0);
    });
  }

  it('the configuration in force is logged at the start, and hides the token', async () => {
    const { said } = await drains('SIGTERM', process.execPath, [serverSources, 'start']);
    assert.match(said, /"level":"info".*JACKFIELD_DRAIN_SECONDS +30 {2}\(default\)/);
    assert.match(said, /JACKFIELD_AUTH_TOKEN +\[hidden\]/);
    assert.doesNotMatch(said, /Y29uZm9y/);
  });

  it('an older Node without the newer one beside it says what to do', withoutOlder, async () => {
    const bin = join(directory, 'alone/bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, '../package.json'), '{"type":"module"}');
    await copyFile(launcher, join(bin, 'jackfield.js'));
    const { child, log } = started(older, [join(bin, 'jackfield.js'), 'start']);
    await once(child, 'close');
    assert.equal(child.exitCode, 1);
    assert.match(log.all.join('\n'), /^Jackfield needs Node\.js 24, not v\d+\.\d+\.\d+: run npm ci .*$/);
  });

  it('the command ends with the code of the server, under an older Node too', withoutOlder, async () => {
    const { child, log } = started(older, [launcher, 'begin']);
    await once(child, 'close');
    assert.equal(child.exitCode, 1);
    assert.match(log.all.join('\n'), /unknown command 'begin'/);
  });
});
